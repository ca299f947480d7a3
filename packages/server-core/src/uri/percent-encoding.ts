import { bytesOfText, textOfBytes } from "./text-of-bytes.ts";

const escapes = Array.from(
  { length: 256 },
  (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
);
const badEscape = /%(?![0-9a-fA-F]{2})/;

function escapeAll(text: string): string {
  const bytes = bytesOfText(text);
  let escaped = "";
  for (let index = 0; index < bytes.length; index++) {
    escaped += escapes[bytes.charCodeAt(index)];
  }
  return escaped;
}

/**
 * Percent-decodes a text.
 * @returns undefined for a bad escape such as `%zz`
 */
export function percentDecode(text: string): string | undefined {
  if (!text.includes("%")) {
    return text;
  }
  if (badEscape.test(text)) {
    return undefined;
  }
  if (text.isWellFormed()) {
    try {
      return decodeURIComponent(text);
    } catch {
      // Some bytes are no UTF-8.
    }
  }
  return textOfBytes(
    bytesOfText(text).replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}

/** Percent-encodes a decoded path. Source: Go, `net/url.URL.EscapedPath` */
export function escapePath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~$&+,/:;=@]+/g, escapeAll);
}

/** Like {@link escapePath}, for file names: also escapes `;` and `,`. Source: Go, `net/url.PathEscape` */
export function escapeSegments(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~$&+/:=@]+/g, escapeAll);
}

/**
 * True when a path contains only characters that may be sent without further escapes. Source: Go, `net/url`, the
 * condition under which `EscapedPath` returns `RawPath`
 */
export function isEscapedPath(text: string): boolean {
  return /^[A-Za-z0-9\-._~!$&'()*+,;=:@[\]%/]*$/.test(text);
}

/** Escapes a name or value for a query. Source: Go, `net/url.QueryEscape` */
export function escapeQuery(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~]+/g, escapeAll).replaceAll("%20", "+");
}

/**
 * Escapes a whole query: characters that would end it (`#`, blanks, control characters) and characters that are not
 * ASCII.
 */
export function escapeQueryText(text: string): string {
  return text.replace(/[^!-"$-~]+/g, escapeAll);
}
