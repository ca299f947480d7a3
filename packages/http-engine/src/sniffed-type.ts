/** Number of bytes of a body that are inspected. */
const sniffedBytes = 512;

const html = [
  "<!DOCTYPE HTML",
  ...[
    "<HTML",
    "<HEAD",
    "<SCRIPT",
    "<IFRAME",
    "<H1",
    "<DIV",
    "<FONT",
    "<TABLE",
    "<A",
    "<STYLE",
    "<TITLE",
    "<B",
  ],
  ...["<BODY", "<BR", "<P", "<!--"],
];

/** First bytes, one per character, and the type that they indicate. U+0100 matches any byte. */
const signatures: readonly (readonly [first: string, type: string])[] = [
  ["%PDF-", "application/pdf"],
  ["%!PS-Adobe-", "application/postscript"],
  ["\xfe\xff\u0100\u0100", "text/plain; charset=utf-16be"],
  ["\xff\xfe\u0100\u0100", "text/plain; charset=utf-16le"],
  ["\xef\xbb\xbf\u0100", "text/plain; charset=utf-8"],
  ["\0\0\x01\0", "image/x-icon"],
  ["\0\0\x02\0", "image/x-icon"],
  ["BM", "image/bmp"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["RIFF\u0100\u0100\u0100\u0100WEBPVP", "image/webp"],
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["FORM\u0100\u0100\u0100\u0100AIFF", "audio/aiff"],
  ["ID3", "audio/mpeg"],
  ["OggS\0", "application/ogg"],
  ["MThd\0\0\0\x06", "audio/midi"],
  ["RIFF\u0100\u0100\u0100\u0100AVI ", "video/avi"],
  ["RIFF\u0100\u0100\u0100\u0100WAVE", "audio/wave"],
  ["\x1a\x45\xdf\xa3", "video/webm"],
  [`${"\u0100".repeat(34)}LP`, "application/vnd.ms-fontobject"],
  ["\0\x01\0\0", "font/ttf"],
  ["OTTO", "font/otf"],
  ["ttcf", "font/collection"],
  ["wOFF", "font/woff"],
  ["wOF2", "font/woff2"],
  ["\x1f\x8b\b", "application/x-gzip"],
  ["PK\x03\x04", "application/zip"],
  ["Rar!\x1a\x07\0", "application/x-rar-compressed"],
  ["Rar!\x1a\x07\x01\0", "application/x-rar-compressed"],
  ["\0asm", "application/wasm"],
];

const text = "text/plain; charset=utf-8";
// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes that no text has
const binary = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;
const blanks = /^[\t\n\f\r ]+/;

function begins(bytes: string, first: string): boolean {
  if (bytes.length < first.length) {
    return false;
  }
  for (let index = 0; index < first.length; index++) {
    const wanted = first.charCodeAt(index);
    if (wanted !== 0x100 && wanted !== bytes.charCodeAt(index)) {
      return false;
    }
  }
  return true;
}

function isHtml(bytes: string): boolean {
  return html.some((tag) => {
    const after = bytes[tag.length];
    return (after === " " || after === ">") && bytes.slice(0, tag.length).toUpperCase() === tag;
  });
}

/** True when a box of the kind `ftyp` contains an MP4 brand in a field other than its version. */
function isMp4(bytes: string): boolean {
  if (bytes.length < 12 || bytes.slice(4, 8) !== "ftyp") {
    return false;
  }
  const size = Buffer.from(bytes.slice(0, 4), "latin1").readUInt32BE();
  if (size > bytes.length || size % 4 !== 0) {
    return false;
  }
  for (let at = 8; at < size; at += 4) {
    if (at !== 12 && bytes.startsWith("mp4", at)) {
      return true;
    }
  }
  return false;
}

/**
 * The media type of a body without a declared type, from its first 512 bytes.
 * Source: the standard MIME Sniffing (WHATWG), in the order of Go's net/http
 */
export function sniffType(body: Uint8Array): string {
  const first = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, sniffedBytes));
  const bytes = first.toString("latin1");
  const words = bytes.replace(blanks, "");
  if (isHtml(words)) {
    return "text/html; charset=utf-8";
  }
  if (words.startsWith("<?xml")) {
    return "text/xml; charset=utf-8";
  }
  // MP4 is checked before all other types that its bytes could match.
  const named = isMp4(bytes) ? "video/mp4" : signatures.find(([each]) => begins(bytes, each))?.[1];
  return named ?? (binary.test(words) ? "application/octet-stream" : text);
}
