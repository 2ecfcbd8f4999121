"""What a release needs, as SPDX 2.3: libraries by name and licence, packages of PyPI by version.

Versions of libraries are those of the system that builds. tests/tools/test_release.py compares LIBRARIES with what
CMake looks for.
"""
import dataclasses
import datetime
import re
import uuid

REQUIRED, OPTIONAL, BUILD, TEST = (
    f"{kind}_OF" for kind in ("RUNTIME_DEPENDENCY", "OPTIONAL_DEPENDENCY", "BUILD_TOOL", "TEST_DEPENDENCY"))
# What CMake looks for: licence and part. Optional ones are in a build if they are found.
LIBRARIES = {
    "fmt": ("MIT", REQUIRED), "hwy": ("Apache-2.0 OR BSD-3-Clause", REQUIRED), "xxHash": ("BSD-2-Clause", REQUIRED),
    "nlohmann_json": ("MIT", REQUIRED), "OpenMP": ("NOASSERTION", REQUIRED), "CLI11": ("BSD-3-Clause", OPTIONAL),
    "tomlplusplus": ("MIT", OPTIONAL), "MPI": ("NOASSERTION", OPTIONAL), "FFTW3": ("GPL-2.0-or-later", OPTIONAL),
    "MKL": ("NOASSERTION", OPTIONAL), "zfp": ("BSD-3-Clause", OPTIONAL), "HDF5": ("NOASSERTION", OPTIONAL),
    "CUDAToolkit": ("NOASSERTION", OPTIONAL), "HIP": ("NOASSERTION", OPTIONAL), "NCCL": ("NOASSERTION", OPTIONAL),
    "Kokkos": ("NOASSERTION", TEST), "GTest": ("BSD-3-Clause", TEST), "SimGrid": ("NOASSERTION", TEST),
}
# Lists of packages of PyPI, and their part.
LISTS = {
    "tools/requirements.txt": TEST, "tools/requirements_bindings.txt": BUILD, "tools/requirements_check.txt": TEST,
    "tools/requirements_sycl.txt": TEST,
    "tools/documents/requirements_site.txt": BUILD,
    "tools/releases/requirements_release.txt": BUILD,
}
PIN = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)", re.M)
ARRAY = r"^{} = \[([^\]]*)\]"  # in pyproject.toml


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    relation: str
    licence: str = "NOASSERTION"
    version: str = ""  # of PyPI
    source: str = "system"

    @property
    def id(self):
        return re.sub(r"[^A-Za-z0-9.-]", "-", f"SPDXRef-{self.source}-{self.name}")

    def package(self):
        found = {"SPDXID": self.id, "name": self.name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                 "licenseConcluded": "NOASSERTION", "licenseDeclared": self.licence, "copyrightText": "NOASSERTION"}
        if self.version:
            found["versionInfo"] = self.version
        if self.source == "pypi":
            purl = f"pkg:pypi/{self.name.lower().replace('_', '-')}" + (f"@{self.version}" if self.version else "")
            found["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                      "referenceLocator": purl}]
        return found


def of_pyproject(text, key, relation):
    """The packages of an array of pyproject.toml; it asks for ranges, so they have no version."""
    array = re.search(ARRAY.format(key), text, re.M)
    names = re.findall(r'"([A-Za-z0-9_.-]+)', array[1] if array else "")
    return [Part(name, relation, source="pypi") for name in names]


def parts(root):
    """All that a release needs, by name; what several lists name once, with the first part it has."""
    project = (root / "pyproject.toml").read_text(encoding="utf-8")
    found = [Part(name, relation, licence) for name, (licence, relation) in LIBRARIES.items()]
    listed = [Part(name, relation, version=version, source="pypi") for file, relation in LISTS.items()
              if (root / file).exists() for name, version in PIN.findall((root / file).read_text(encoding="utf-8"))]
    found += listed
    known = {part.name for part in listed}
    found += [part for part in [*of_pyproject(project, "dependencies", REQUIRED),
                                *of_pyproject(project, "requires", BUILD)] if part.name not in known]
    return sorted({part.id: part for part in reversed(found)}.values(), key=lambda part: part.id)


def document(commit, checksum):
    """The SPDX document of a release; `checksum` is the SHA-256 of its source archive."""
    needed = parts(commit.root)
    created = datetime.datetime.fromtimestamp(commit.time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = {"SPDXID": "SPDXRef-shardfft", "name": "shardfft", "versionInfo": commit.version,
           "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "Apache-2.0",
           "licenseDeclared": "Apache-2.0", "copyrightText": "2026 the authors of shardfft",
           "checksums": [{"algorithm": "SHA256", "checksumValue": checksum}]}
    described = {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                 "relatedSpdxElement": own["SPDXID"]}
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": commit.name,
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{commit.name} {checksum}')}",
        "creationInfo": {"created": created, "creators": ["Tool: shardfft-tools-release"]},
        "packages": [own, *(part.package() for part in needed)],
        "relationships": [described, *({"spdxElementId": part.id, "relationshipType": part.relation,
                                        "relatedSpdxElement": own["SPDXID"]} for part in needed)],
    }
