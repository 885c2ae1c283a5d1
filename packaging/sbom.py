#!/usr/bin/env python3
"""What Carrel's programs are made of, as a CycloneDX 1.5 document on standard output.

usage: sbom.py VERSION SECONDS PROGRAMS    (SECONDS: of the release, since 1970; PROGRAMS: the directory of the programs)

Shared libraries are those that the programs need; what is built into them is listed below. Versions are those of the
packages of this machine, which built the programs.
"""
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys

# Packages whose code or data is in the programs: of packaging/debian-deps.txt, and the compiler's own.
BUILT_IN = ["libpg-query-dev", "libstemmer-dev", "libdouble-conversion-dev", "libmsgpack-dev", "python3-zxcvbn",
            "wordnet-base", "mythes-de", "libstdc++-12-dev"]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def is_program(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def linked(programs):
    """The packages of the shared libraries that the programs name."""
    found = set()
    for program in programs:
        needed = re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", str(program)))
        paths = dict(re.findall(r"(\S+) => (\S+)", output("ldd", str(program))))
        found.update(paths[name] for name in needed if name in paths)
    packages = set()
    for path in found:
        real = pathlib.Path(path).resolve()
        owners = output("dpkg-query", "-S", "*/" + real.name)
        packages.update(line.split(": ")[0].split(":")[0] for line in owners.splitlines() if str(real).endswith(
            line.split(": ")[1].removeprefix("/usr")))
    return packages


def licence(package):
    """The licence of most files, of a copyright file that names it; None otherwise."""
    text = pathlib.Path("/usr/share/doc", package, "copyright").read_text(errors="replace")
    named = re.search(r"^Files: *\*\n(?:.*\n)*?License: *(\S.*)$", text, re.M)
    return named and named.group(1).strip()


def component(package, how):
    name, version, architecture, source, source_version = output(
        "dpkg-query", "-W", "-f", r"${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n",
        package).splitlines()[0].split("\t")
    known = licence(name)
    return {
        "type": "data" if how == "built in" and architecture == "all" else "library",
        "bom-ref": f"{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace('~', '%7E')}"
                f"?arch={architecture}&distro=bookworm",
        **({"licenses": [{"license": {"name": known}}]} if known else {}),
        "properties": [{"name": "carrel:use", "value": how}, {"name": "carrel:source", "value": f"{source} {source_version}"}],
    }


def main(version, seconds, directory):
    programs = sorted(p for p in pathlib.Path(directory).glob("carrel*") if p.is_file() and is_program(p))
    if not programs:
        sys.exit(f"sbom: no programs in {directory}")
    components = [component(p, "linked") for p in sorted(linked(programs))]
    components += [component(p, "built in") for p in BUILT_IN]
    itself = {"type": "application", "bom-ref": f"carrel@{version}", "name": "carrel", "version": version}
    digest = hashlib.sha256(json.dumps([itself, components]).encode()).hexdigest()
    moment = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
    print(json.dumps({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}",
        "version": 1,
        "metadata": {"timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": itself},
        "components": components,
        "dependencies": [{"ref": itself["bom-ref"], "dependsOn": [c["bom-ref"] for c in components]}],
    }, indent=1))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
