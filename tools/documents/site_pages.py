"""Which pages and files a site of the documents holds, and in which order."""
import os
import re
import shutil

from documents import markdown

HOME = "README.md"
ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|/")


def target(page, link):
    """The path from the root that a link of a page leads to; None if it is absolute or leads into the page."""
    name = link.partition("#")[0]
    if not name or ABSOLUTE.match(link):
        return None
    return os.path.normpath(os.path.join(os.path.dirname(page), name))


def listing(folder, name):
    """The page of a folder that has none: its files."""
    return f"# {name}\n\n" + "".join(f"- [{file.name}]({file.name})\n" for file in files(folder))


def files(folder):
    return sorted(file for file in folder.iterdir() if file.is_file())


def with_pages_of_folders(text, page, root):
    """The same page; its links to folders lead to their README.md."""
    def whole(match):
        to = target(page, match[1])
        return f"]({match[1].rstrip('/')}/{HOME})" if to and (root / to).is_dir() else match[0]

    return markdown.LINK.sub(whole, text)


def stage(root, pages):
    """Copies README.md, and all that pages lead to, into the folder `pages`; returns a line for each page of docs that
    none leads to."""
    waiting, seen = [HOME], set()
    while waiting:
        name = waiting.pop()
        if name in seen or name.startswith("..") or not (root / name).exists():
            continue  # mkdocs speaks of dead links
        seen.add(name)
        there = root / name
        if there.is_dir():
            waiting += [f"{name}/{HOME}"] if (there / HOME).exists() else []
            stage_folder(there, pages / name, name)
            continue
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        if there.suffix == ".md":
            text = there.read_text(encoding="utf-8")
            waiting += [to for _, link in markdown.links(text) if (to := target(name, link))]
            (pages / name).write_text(with_pages_of_folders(text, name, root), encoding="utf-8")
        else:
            shutil.copyfile(there, pages / name)
    lost = sorted(str(page.relative_to(root)) for page in (root / "docs").rglob("*.md"))
    return [f"a link leads to each page of docs; none leads to {page}; put it into docs/index.md"
            for page in lost if page not in seen]


def stage_folder(folder, to, name):
    to.mkdir(parents=True, exist_ok=True)
    if not (folder / HOME).exists():
        (to / HOME).write_text(listing(folder, name), encoding="utf-8")
        for file in files(folder):
            shutil.copyfile(file, to / file.name)


def staged(pages):
    """The pages that `stage` has made."""
    return sorted(str(page.relative_to(pages)) for page in pages.rglob("*.md"))


def navigation(index, pages):
    """Of docs/index.md, as mkdocs takes it: each heading with the pages below it, then those that stand above all
    headings alone. A page has its first place only."""
    here = str(index.relative_to(pages))
    sections, heading = {"": []}, ""
    for _, line in markdown.prose(index.read_text(encoding="utf-8")):
        if line.startswith("## "):
            heading = line[3:].strip()
            sections[heading] = []
        linked = (target(here, link) for link in markdown.LINK.findall(markdown.CODE.sub("", line)))
        sections[heading] += [page for page in linked if page and page.endswith(".md")]
    found, placed = [{"Home": HOME}, {"All documents": here}], {HOME, here}
    above = sections.pop("")
    for heading, linked in sections.items():
        own = [page for page in dict.fromkeys(linked) if page not in placed]
        placed.update(own)
        found += [{heading: own}] if own else []
    return found + [page for page in dict.fromkeys(above) if page not in placed]


def navigated(entries):
    """All pages of a navigation."""
    for entry in entries:
        for pages in entry.values() if isinstance(entry, dict) else [entry]:
            yield from [pages] if isinstance(pages, str) else pages
