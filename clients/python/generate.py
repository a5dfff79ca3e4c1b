#!/usr/bin/env python3
"""Generates hadal_client.py from the OpenAPI description of hadal.

    hadal serve &
    python3 clients/python/generate.py http://127.0.0.1:7878/api/openapi.json > clients/python/hadal_client.py

The argument is a URL or a file. Needs only the standard library. A test of hadal compares the number in the first lines
of hadal_client.py with the description.
"""

import hashlib
import json
import keyword
import sys
import textwrap
import urllib.request
from pathlib import Path

HEAD = Path(__file__).with_name("client_head.py.txt")
WIDTH = 116


def load(place):
    if "://" in place:
        with urllib.request.urlopen(place) as response:
            return json.load(response)
    return json.loads(Path(place).read_text(encoding="utf-8"))


def without_prose(part):
    """A part of the description without its explanations."""
    if isinstance(part, dict):
        is_prose = lambda key, value: key in ("description", "summary") and isinstance(value, str)
        return {key: without_prose(value) for key, value in part.items() if not is_prose(key, value)}
    return [without_prose(one) for one in part] if isinstance(part, list) else part


def fingerprint(description):
    """Hash of routes and types, the same for every order of keys and every wording."""
    text = json.dumps(without_prose(description), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha1(text.encode()).hexdigest()


def type_name(schema):
    """Python type of a schema."""
    if not schema:
        return "Any"
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    for group in ("oneOf", "anyOf"):
        if group in schema:
            return union(type_name(one) for one in schema[group])
    if "allOf" in schema:
        return "Dict[str, Any]"
    if "enum" in schema:
        return "Literal[" + ", ".join(json.dumps(value) for value in schema["enum"]) + "]"
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return union(type_name({**schema, "type": kind}) for kind in kinds)
    if kinds == "array":
        return f"List[{type_name(schema.get('items'))}]"
    simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
    return simple.get(kinds, "Dict[str, Any]" if kinds == "object" else "Any")


def union(names):
    distinct = list(dict.fromkeys(names))
    if "None" in distinct:
        rest = [name for name in distinct if name != "None"]
        return f"Optional[{rest[0]}]" if len(rest) == 1 else f"Optional[Union[{', '.join(rest)}]]"
    return distinct[0] if len(distinct) == 1 else f"Union[{', '.join(distinct)}]"


def doc(text, indent):
    """Docstring of a description."""
    text = " ".join((text or "").replace("\\", "\\\\").split())
    lines = textwrap.wrap(text, WIDTH - len(indent) - 3) or [""]
    if len(lines) == 1 and len(indent) + len(lines[0]) + 6 <= WIDTH:
        return f'{indent}"""{lines[0]}"""\n'
    return f'{indent}"""' + f"\n{indent}".join(lines) + f'\n{indent}"""\n'


def members(schema, schemas):
    """Properties and required names of an object, those of its parts included."""
    properties, required = {}, []
    for part in schema.get("allOf", [schema]):
        if "$ref" in part:
            part = schemas[part["$ref"].rsplit("/", 1)[1]]
        if "allOf" in part and part is not schema:
            inner, needed = members(part, schemas)
        else:
            inner, needed = part.get("properties", {}), part.get("required", [])
        properties.update(inner)
        required += needed
    return properties, required


def class_of(name, schema, schemas):
    """Definition of a schema: a dictionary with known keys, or an alias."""
    properties, required = members(schema, schemas)
    if not properties:
        alias = type_name({key: value for key, value in schema.items() if key != "description"})
        return f"{name} = {alias}\n"
    needed = {key: value for key, value in properties.items() if key in required}
    optional = {key: value for key, value in properties.items() if key not in required}
    base = "TypedDict"
    text = ""
    if needed and optional:
        base = f"_{name}"
        text += f"class {base}(TypedDict):\n" + lines_of(needed) + "\n\n"
    total = ", total=False" if optional else ""
    text += f"class {name}({base}{total}):\n" + doc(schema.get("description"), "    ")
    return text + "\n" + lines_of(optional if optional else needed)


def lines_of(properties):
    return "".join(f"    {name}: {type_name(schema)}\n" for name, schema in properties.items())


def argument(name):
    return name + "_" if keyword.iskeyword(name) else name


def method_of(path, verb, operation):
    """Method of the client for an operation."""
    parameters = operation.get("parameters", [])
    in_path = [one for one in parameters if one["in"] == "path"]
    in_query = [one for one in parameters if one["in"] == "query"]
    body = operation.get("requestBody")
    arguments = ["self"] + [f"{argument(one['name'])}: {type_name(one['schema'])}" for one in in_path]
    if body:
        name = type_name(body["content"]["application/json"]["schema"])
        plain = name[len("Optional["):-1] if name.startswith("Optional[") else name
        optional = plain != name or not body.get("required", False)
        arguments.append(f"body: Optional[{plain}] = None" if optional else f"body: {plain}")
    if in_query:
        arguments.append("*")
        for one in in_query:
            name = type_name({key: value for key, value in one["schema"].items() if key != "default"})
            name = name if name.startswith("Optional[") else f"Optional[{name}]"
            arguments.append(f"{argument(one['name'])}: {name} = None")
    success = next(value for status, value in operation["responses"].items() if status.startswith("2"))
    content = success.get("content", {})
    if "application/json" in content:
        returned, call = type_name(content["application/json"]["schema"]), "_json"
    elif "text/event-stream" in content:
        returned, call = "Iterator[Any]", "_events"
    elif "text/plain" in content:
        returned, call = "str", "_text"
    else:
        returned, call = "bytes", "_bytes"
    address = path
    for one in in_path:
        address = address.replace("{" + one["name"] + "}", "{_part(" + argument(one["name"]) + ")}")
    query = ", ".join(f'"{one["name"]}": {argument(one["name"])}' for one in in_query)
    sent = "body" if body else "None"
    about = f"{operation.get('summary') or ''} {operation.get('description') or ''}".strip()
    signature = f"    def {operation['operationId']}({', '.join(arguments)}) -> {returned}:\n"
    if len(signature) > WIDTH:
        inner = ",\n        ".join(arguments)
        signature = f"    def {operation['operationId']}(\n        {inner},\n    ) -> {returned}:\n"
    prefix = "f" if in_path else ""
    sending = f'self.{call}("{verb.upper()}", {prefix}"{address}", {{{query}}}, {sent})'
    result = f"        return cast({json.dumps(returned)}, {sending})\n" if call == "_json" else f"        return {sending}\n"
    return signature + doc(about, "        ") + result


def main():
    description = load(sys.argv[1])
    schemas = description["components"]["schemas"]
    head = HEAD.read_text(encoding="utf-8").replace("FINGERPRINT", fingerprint(description))
    # Aliases come last, because they name classes.
    named = sorted(schemas.items(), key=lambda pair: (not members(pair[1], schemas)[0], pair[0]))
    classes = [class_of(name, schema, schemas) for name, schema in named]
    methods = []
    for path, operations in sorted(description["paths"].items()):
        for verb in ("get", "put", "post"):
            if verb in operations:
                methods.append(method_of(path, verb, operations[verb]))
    types, client = head.split("# METHODS\n")
    before, after = types.split("# TYPES\n")
    text = before + "\n\n".join(classes) + "\n" + after + "\n".join(methods) + client
    sys.stdout.write(text.rstrip() + "\n")


if __name__ == "__main__":
    main()
