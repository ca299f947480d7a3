import { readFileSync } from "node:fs";
import { StartError } from "../errors.ts";

/** Size limit of secret files in bytes. A line end at the end of the file is removed. */
const maxSecretFileBytes = 4096;

/** Parsed options. Two of them belong together: one is the secret, and the other names the file with the secret. */
export type SecretOptions<Name extends string> = {
  readonly [Key in Name | `${Name}-file`]: string;
};

/**
 * Returns a password or token that is given directly or in a file. A file is safer, because other users can read the
 * command line and the environment.
 * @param name option with the secret itself; the option for the file is `<name>-file`
 * @returns "" when neither is given
 * @throws StartError if both are given, if the file is unreadable, or if it is not one line of 1 to 4096 bytes. The
 * error never contains the file's text
 */
export function secretOf<const Name extends string>(options: SecretOptions<Name>, name: Name): string {
  // TypeScript cannot infer the type of a member whose key is a concatenated string.
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
