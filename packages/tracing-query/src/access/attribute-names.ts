/** Names of all attributes in a syntax tree of TraceQL. All nodes are searched, including kinds added later. */
export function attributeNamesIn(tree: unknown, { exists = true } = {}): Set<string> {
  const found = new Set<string>();
  collect(tree, found, exists);
  return found;
}

/** @param exists false: leaves out names in conditions that only ask if the attribute exists */
function collect(node: unknown, found: Set<string>, exists: boolean): void {
  if (typeof node !== "object" || node === null) {
    return;
  }
  const { type, name, operand } = node as { type?: unknown; name?: unknown; operand?: { type?: unknown } };
  if (!exists && type === "exists" && operand?.type === "attribute") {
    return;
  }
  if (type === "attribute") {
    found.add(String(name));
  }
  for (const child of Object.values(node)) {
    collect(child, found, exists);
  }
}
