"""What transforms of arrays that a framework distributes share: exchanges, and pencils of a block."""
