import { StartError, secretOf } from "lifecycle";

/** A user of the HTTP protocol. */
export interface User {
  readonly name: string;
  /** Password of the user; "": the user needs no password, see `checkCredentials`. */
  readonly password: string;
  /** True: the user may only read, within the process's limits. */
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

/**
 * The users in the options: a user with all rights, and a read-only user if its password is set.
 * @returns the user with all rights first
 * @throws StartError for an unreadable file, and for contradictory options
 */
export function readUsers(options: UserOptions): readonly [User, ...User[]] {
  const owner: User = {
    name: options["storage.http.user"],
    password: secretOf(options, "storage.http.password"),
    readOnly: false,
  };
  const reader: User = {
    name: options["storage.http.read-only-user"],
    password: secretOf(options, "storage.http.read-only-password"),
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
