/** A password and the hash that it is compared with. */
export interface PasswordCheck {
  /** Algorithm that made the hash. */
  readonly algorithm: "bcrypt" | "argon2id";
  /** Hash with its salt and cost, as the config has it. */
  readonly hash: string;
  /** Password of the request. It never goes to a log. */
  readonly password: string;
}

/** Topics by which threads that serve have passwords checked by the main thread. */
export const passwordTopics = {
  /** {@link CheckRequest}: whether the password is right. */
  check: "passwords.check",
  /** {@link CheckId}: the check is not needed any more. */
  drop: "passwords.drop",
} as const;

/** Identifies one check over all threads. */
export interface CheckId {
  /** Thread that asks. */
  readonly thread: number;
  /** Number within that thread. */
  readonly id: number;
}

/** A check as a thread sends it to the main thread. */
export interface CheckRequest extends CheckId {
  /** Password and hash to compare. */
  readonly check: PasswordCheck;
  /** Address of the client: clients take turns. */
  readonly client: string;
  /** Whether a right answer may be kept in memory. */
  readonly remember: boolean;
}
