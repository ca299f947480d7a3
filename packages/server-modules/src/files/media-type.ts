import mime from "mime";

/** Media types that differ from the library's. Source: Go, `mime` */
const own: Readonly<Record<string, string>> = { xml: "text/xml", ico: "image/x-icon" };

/** Cache of media types by extension, because the library searches lists each time. */
const known = new Map<string, string>();
/** At most this many extensions are cached. Clients choose the extensions, so the cache must be bounded. */
const maxKnown = 1000;

/** Media type for a file name extension, with a charset for text types. Returns "" for an unknown extension. */
export function mediaTypeOf(fileName: string): string {
  const dot = fileName.lastIndexOf(".");
  if (dot === -1 || dot === fileName.length - 1 || fileName.includes("/", dot)) {
    return "";
  }
  const extension = fileName.slice(dot + 1).toLowerCase();
  let type = known.get(extension);
  if (type === undefined) {
    const bare = own[extension] ?? mime.getType(extension) ?? "";
    type = bare.startsWith("text/") ? `${bare}; charset=utf-8` : bare;
    if (known.size < maxKnown) {
      known.set(extension, type);
    }
  }
  return type;
}
