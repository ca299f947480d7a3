/** The path of a request target, apart from its query. */
export interface RequestTarget {
  /** From the absolute form `http://host/path`; undefined otherwise. */
  readonly authority: string | undefined;
  /** Still percent-encoded; starts with `/` (or is `*`). */
  readonly rawPath: string;
  /** With its `?`, or "". */
  readonly query: string;
}

/** Splits a request target in origin or absolute form. */
export function splitTarget(target: string): RequestTarget {
  if (target.charCodeAt(0) === 0x2f) {
    const cut = target.indexOf("?");
    return cut === -1
      ? { authority: undefined, rawPath: target, query: "" }
      : { authority: undefined, rawPath: target.slice(0, cut), query: target.slice(cut) };
  }
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target);
  const rest = absolute === null ? target : target.slice(absolute[0].length);
  const cut = rest.indexOf("?");
  const rawPath = cut === -1 ? rest : rest.slice(0, cut);
  return {
    authority: absolute?.[1],
    rawPath: rawPath === "" ? "/" : rawPath,
    query: cut === -1 ? "" : rest.slice(cut),
  };
}

/** Percent-decodes a path; invalid UTF-8 becomes U+FFFD. @returns undefined for a bad escape such as `%zz` */
export function decodePath(rawPath: string): string | undefined {
  if (!rawPath.includes("%")) {
    return rawPath;
  }
  if (/%(?![0-9a-fA-F]{2})/.test(rawPath)) {
    return undefined;
  }
  try {
    return decodeURIComponent(rawPath);
  } catch {
    const bytes = rawPath.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Buffer.from(bytes, "latin1").toString("utf8");
  }
}

/**
 * Without empty, `.` and `..` segments; `..` stops at the root; a final slash stays.
 * @param mergeSlashes false keeps empty segments
 */
export function cleanPath(path: string, mergeSlashes = true): string {
  if (!/\/\.{0,2}(?:\/|$)/.test(path)) {
    return path === "" ? "/" : path;
  }
  const kept: string[] = [];
  const segments = path.split("/").slice(path.startsWith("/") ? 1 : 0);
  const last = segments.at(-1) ?? "";
  for (const [position, segment] of segments.entries()) {
    if (segment === "..") {
      kept.pop();
    } else if (segment !== "." && (segment !== "" || (!mergeSlashes && position < segments.length - 1))) {
      kept.push(segment);
    }
  }
  return `/${kept.join("/")}${last === "" && kept.length > 0 && kept.at(-1) !== "" ? "/" : ""}`;
}
