import { readFileSync } from "node:fs";
import { StartError } from "../errors.ts";

/** Limit of mounted secrets; one line end at the end of the file is removed. */
const maxSecretFileBytes = 4096;

/** Parsed options, one of which is a secret, and another the file that holds it. */
export type SecretOptions<Name extends string> = {
  readonly [Key in Name | `${Name}-file`]: string;
};

/**
 * A password or token, given directly or, better, in a file: other users can read a command line and an
 * environment.
 * @param name of the option with the secret itself; that of the file is `<name>-file`
 * @returns "" when neither is given
 * @throws StartError when both are given, and for a file that cannot be read, or is not one line of 1 to 4096
 *   bytes. The error never contains the file's text
 */
export function secretOf<const Name extends string>(options: SecretOptions<Name>, name: Name): string {
  // The type of the options does not follow a key that is put together.
  const values = options as Readonly<Record<string, string>>;
  const path = values[`${name}-file`] ?? "";
  const given = values[name] ?? "";
  if (path === "") {
    return given;
  }
  if (given !== "") {
    throw new StartError(`--${name} and --${name}-file: give one of them`);
  }
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new StartError(`--${name}-file: cannot read ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "" || text.length > maxSecretFileBytes || /[\r\n\0]/.test(secret)) {
    throw new StartError(
      `--${name}-file: ${path} is not one line of 1 to ${maxSecretFileBytes} bytes with the secret`,
    );
  }
  return secret;
}
