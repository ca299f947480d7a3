/** Maximum number of characters of a message from which the template is made; further characters are cut. */
const mostLetters = 1_000;

/**
 * Replaces the parts of a message that differ in each occurrence: ids, numbers, addresses and quoted texts become
 * `<…>`. The query service and the UI group exceptions by this text.
 */
export function messageTemplate(message: string): string {
  return message
    .slice(0, mostLetters)
    .replace(/\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+/gi, "<url>")
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, "<id>")
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, "<address>")
    .replace(/\b(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{8,}\b/gi, "<id>")
    .replace(/"[^"]*"|(?<![\p{L}\d])'[^']*'(?!\p{L})|`[^`]*`|“[^”]*”/gu, "<text>")
    .replace(/(?<![\p{L}<])[+-]?\d+(?:[.,:]\d+)*/gu, "<number>");
}
