const replacements: Readonly<Record<string, string>> = {
  " ": "_",
  "+": "_plus_",
  "*": "wildcard_",
  ":": "-",
  "..": "",
};

/**
 * A name as one part of a key in the storage: nothing in it leads elsewhere. Written as the public model (certmagic) does,
 * so that both find the same values.
 */
export function safeKeyPart(text: string): string {
  return text
    .toLowerCase()
    .trim()
    .replace(/[ +*:]|\.\./g, (found) => replacements[found] ?? "")
    .replace(/[^\w@.-]/g, "");
}
