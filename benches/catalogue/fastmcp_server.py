"""The same catalogue in Python with FastMCP: what the skills server is measured beside."""

import sys
from functools import lru_cache
from pathlib import Path

import frontmatter
from fastmcp import FastMCP

ROOT = Path(sys.argv[1])
KNOWN: dict[str, tuple[int, dict]] = {}
mcp = FastMCP("skills")


@lru_cache(maxsize=256)
def body_of(skill_id: str, modified: int) -> str:
    return frontmatter.load(ROOT / skill_id / "SKILL.md").content


def look() -> list[dict]:
    """Every skill; a file is read again when its time changed."""
    skills = []
    for folder in sorted(ROOT.iterdir()):
        file = folder / "SKILL.md"
        try:
            modified = file.stat().st_mtime_ns
        except OSError:
            continue
        known = KNOWN.get(folder.name)
        if known is None or known[0] != modified:
            meta = frontmatter.load(file).metadata
            known = (
                modified,
                {
                    "id": folder.name,
                    "name": meta["name"],
                    "description": meta["description"],
                    "version": meta.get("version"),
                    "tags": meta.get("tags", []),
                    "author": meta.get("author"),
                    "license": meta.get("license"),
                },
            )
            KNOWN[folder.name] = known
        skills.append(known[1])
    return skills


def score(skill: dict, token: str) -> int:
    skill_id, name = skill["id"].lower(), skill["name"].lower()
    points = 10 if skill_id == token else 3 if token in skill_id else 0
    points += 10 if name == token else 5 if token in name else 0
    points += max((4 if tag.lower() == token else 2 if token in tag.lower() else 0 for tag in skill["tags"]), default=0)
    return points + (2 if token in skill["description"].lower() else 0)


@mcp.tool
def list_skills(limit: int = 500) -> list[dict]:
    """Lists the skills of this catalogue."""
    return look()[:limit]


@mcp.tool
def search_skills(query: str, limit: int = 20) -> list[dict]:
    """Finds the skills that fit some words, best first."""
    tokens = query.lower().split()
    hits = [(sum(score(skill, token) for token in tokens), skill) for skill in look()]
    hits = sorted((hit for hit in hits if hit[0] > 0), key=lambda hit: (-hit[0], hit[1]["id"]))
    return [{**skill, "score": points} for points, skill in hits[:limit]]


@mcp.tool
def get_skill_body(skill_id: str) -> str | None:
    """Gives the instructions of one skill."""
    file = ROOT / skill_id / "SKILL.md"
    return body_of(skill_id, file.stat().st_mtime_ns) if file.is_file() else None


mcp.run(show_banner=False)
