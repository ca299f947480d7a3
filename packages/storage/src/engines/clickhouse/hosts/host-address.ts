import { StorageError } from "../../../api/storage-error.ts";

/** The address of a ClickHouse server, with credentials. */
export interface HostAddress {
  /** Address without credentials, so that errors, logs and metrics may contain it. */
  readonly url: string;
  readonly user: string;
  /** Password of the user. The password must never be logged. */
  readonly password: string;
}

/**
 * Reads the address of a server.
 * @param text address such as "http://127.0.0.1:8123"; a user and password in it override `defaults`
 * @throws StorageError STORAGE_REFUSED when the text is not an http or https URL; the error omits the password
 */
export function hostAddress(
  text: string,
  defaults: { readonly user: string; readonly password: string },
): HostAddress {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    const shown = text.replace(/\/\/[^/@]*@/, "//…@");
    throw new StorageError("STORAGE_REFUSED", `address "${shown}" is not an http or https URL`);
  }
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "" && password === "") {
    return { url: url.href, ...defaults };
  }
  return {
    url: url.href,
    user: username === "" ? defaults.user : plainText(username),
    password: plainText(password),
  };
}

/** Decodes a URL's user or password. A text with an invalid % is returned unchanged. */
function plainText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
