import { readFileSync } from "node:fs";
import { StartError } from "lifecycle";

/** Somebody who may use the HTTP protocol. */
export interface User {
  readonly name: string;
  /** "" lets everybody in under this name; see `checkCredentials`. */
  readonly password: string;
  /** May ask, and nothing else; its limits are those of the process and cannot be raised. */
  readonly readOnly: boolean;
}

export interface UserOptions {
  readonly "storage.http.user": string;
  readonly "storage.http.password": string;
  readonly "storage.http.password-file": string;
  readonly "storage.http.read-only-user": string;
  readonly "storage.http.read-only-password": string;
  readonly "storage.http.read-only-password-file": string;
}

/** As mounted secrets are: a text whose last line end does not count. */
const maxPasswordFileBytes = 4096;

type PasswordOption = "storage.http.password" | "storage.http.read-only-password";

function passwordOf(options: UserOptions, option: PasswordOption): string {
  const path = options[`${option}-file`];
  if (path === "") {
    return options[option];
  }
  if (options[option] !== "") {
    throw new StartError(`--${option} and --${option}-file: give one of them`);
  }
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new StartError(`--${option}-file: cannot read ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const password = text.replace(/\r?\n$/, "");
  if (password === "" || text.length > maxPasswordFileBytes || /[\r\n\0]/.test(password)) {
    throw new StartError(
      `--${option}-file: ${path} is not one line of 1 to ${maxPasswordFileBytes} bytes with the password`,
    );
  }
  return password;
}

/**
 * The users that the options name: one who may do all, and one who may only read when it has a password.
 * @returns the one who may do all first
 * @throws StartError for a file that cannot be read, and options that contradict each other
 */
export function readUsers(options: UserOptions): readonly [User, ...User[]] {
  const owner: User = {
    name: options["storage.http.user"],
    password: passwordOf(options, "storage.http.password"),
    readOnly: false,
  };
  const reader: User = {
    name: options["storage.http.read-only-user"],
    password: passwordOf(options, "storage.http.read-only-password"),
    readOnly: true,
  };
  if (reader.password === "") {
    return [owner];
  }
  if (reader.name === owner.name) {
    throw new StartError(
      `--storage.http.read-only-user ${reader.name} is also --storage.http.user: give it another name`,
    );
  }
  return [owner, reader];
}
