const escaped = /[<>&\u2028\u2029]/g;

/** JSON as Go's encoding/json writes it: safe inside a page, with `<` as `\u003c`. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    escaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
