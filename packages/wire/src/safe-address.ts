/** Maximum number of letters of an address. Longer texts are not addresses that all browsers accept. */
const longest = 2_000;

/**
 * Returns an absolute http or https address, which is safe to follow. Values of spans come from anybody, and
 * `javascript:` in a link would run. `HTTPS://a.example` gives `https://a.example/`.
 * @returns undefined for any other text
 */
export function safeAddress(text: string): string | undefined {
  if (text.length > longest || !/^https?:\/\/[^\s]/i.test(text)) {
    return undefined;
  }
  try {
    const { protocol, href } = new URL(text);
    return protocol === "http:" || protocol === "https:" ? href : undefined;
  } catch {
    return undefined;
  }
}
