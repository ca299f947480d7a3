import mime from "mime";

/** Types that servers in the field give otherwise. Source: Go, `mime` */
const own: Readonly<Record<string, string>> = { xml: "text/xml", ico: "image/x-icon" };

/** Types by extension: the library looks through lists each time. */
const known = new Map<string, string>();
/** Clients choose extensions, so the number of remembered ones is bounded. */
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
