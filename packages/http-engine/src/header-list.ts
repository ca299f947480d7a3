import type { HeaderList } from "http-protocols/http2-server";
import { bytesOfText, textOfBytes } from "server-core/uri/text-of-bytes";

export type { HeaderList };

/** Converts a text to a header value: its UTF-8 bytes, one character each. */
export function headerBytes(text: string): string {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 0x7e) {
      return bytesOfText(text);
    }
  }
  return text;
}

function sameName(a: string, b: string): boolean {
  return a.length === b.length && (a === b || a.toLowerCase() === b.toLowerCase());
}

/**
 * Converts a header value to text: its bytes decoded as UTF-8; an invalid byte becomes a lone surrogate. Field values
 * contain bytes, one character each. Matchers compare the values with text, and templates insert them into text.
 */
export function headerText(value: string): string {
  return textOfBytes(value);
}

/** The first value of a field; undefined when the field is absent. */
export function getHeader(headers: readonly string[], name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    if (sameName(headers[index] ?? "", name)) {
      return headers[index + 1];
    }
  }
  return undefined;
}

/** All values of a field. */
export function getHeaders(headers: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (sameName(headers[index] ?? "", name)) {
      values.push(headers[index + 1] ?? "");
    }
  }
  return values;
}

/** All values of a field as one text, separated by commas; "" when the field is absent. */
export function joinedHeader(headers: readonly string[], name: string): string {
  return headerText(getHeaders(headers, name).join(","));
}

/** Removes every field whose name `matches`. @param matches gets the name in lower case */
export function removeHeaders(headers: HeaderList, matches: (lowerName: string) => boolean): void {
  let kept = 0;
  for (let index = 0; index < headers.length; index += 2) {
    if (!matches((headers[index] ?? "").toLowerCase())) {
      headers[kept] = headers[index] ?? "";
      headers[kept + 1] = headers[index + 1] ?? "";
      kept += 2;
    }
  }
  if (kept < headers.length) {
    headers.length = kept; // setting the length is slow, even to the same number
  }
}

/** Sets a field to exactly one value. */
export function setHeader(headers: HeaderList, name: string, value: string): void {
  if (getHeader(headers, name) !== undefined) {
    const lowerName = name.toLowerCase();
    removeHeaders(headers, (each) => each === lowerName);
  }
  headers.push(name, value);
}

/** Sets the length of a body, and replaces a length that a site or another server declared. */
export function setContentLength(headers: HeaderList, length: number): void {
  for (let index = 0; index < headers.length; index += 2) {
    if (sameName(headers[index] ?? "", "Content-Length")) {
      setHeader(headers, "Content-Length", String(length));
      return;
    }
  }
  headers.push("Content-Length", String(length));
}
