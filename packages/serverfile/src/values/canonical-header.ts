const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * A header field's name in its canonical spelling: `content-type` becomes `Content-Type`. An invalid name
 * stays.
 */
export function canonicalHeader(name: string): string {
  if (!token.test(name)) {
    return name;
  }
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
