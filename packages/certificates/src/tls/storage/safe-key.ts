const replacements: Readonly<Record<string, string>> = {
  " ": "_",
  "+": "_plus_",
  "*": "wildcard_",
  ":": "-",
  "..": "",
};

/**
 * A name as one part of a storage key; characters that would change the path are replaced. The result is the same as in
 * certmagic, so that both find the same values: `*.example.com` becomes `wildcard_.example.com`.
 */
export function safeKeyPart(text: string): string {
  return text
    .toLowerCase()
    .trim()
    .replace(/[ +*:]|\.\./g, (found) => replacements[found] ?? "")
    .replace(/[^\w@.-]/g, "");
}
