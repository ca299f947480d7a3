/** Longer texts are no addresses that a browser takes. */
const longest = 2_000;

/**
 * An address that is safe to follow: http or https, whole. Values of spans come from anybody, and
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
