import { ServerError } from "server-core/errors";
import { replaceAll } from "server-core/placeholders/machine-placeholders";

export const keyBytes = 32;

/**
 * Reads a key in base64, after global placeholders are filled in.
 * @param name member of the config that has the key
 * @throws ServerError MODULE_CONFIG; the error has no part of the key
 */
export function keyOf(name: string, text: string, isRight: (length: number) => boolean): Buffer {
  const filled = replaceAll(text).trim();
  const key = Buffer.from(filled, "base64");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(filled) || !isRight(key.length)) {
    throw new ServerError(
      "MODULE_CONFIG",
      `${name}: no base64 of ${keyBytes} bytes${name === "sign_key" ? " or more" : ""}`,
    );
  }
  return key;
}
