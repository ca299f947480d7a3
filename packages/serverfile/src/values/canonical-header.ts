const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The canonical spelling of a header field: `content-type` becomes `Content-Type`. An invalid name stays unchanged. */
export function canonicalHeader(name: string): string {
  if (!token.test(name)) {
    return name;
  }
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
