/** A password and the hash that it is compared with. */
export interface PasswordCheck {
  readonly algorithm: "bcrypt" | "argon2id";
  readonly hash: string;
  readonly password: string;
}

/** Topics by which threads that serve have passwords checked by the main thread. */
export const passwordTopics = {
  /** {@link CheckRequest}: whether the password is right. */
  check: "passwords.check",
  /** {@link CheckId}: nobody waits for that check any more. */
  drop: "passwords.drop",
} as const;

/** One check among those of all threads. */
export interface CheckId {
  readonly thread: number;
  readonly id: number;
}

export interface CheckRequest extends CheckId {
  readonly check: PasswordCheck;
  /** Address of the client: clients take turns. */
  readonly client: string;
  /** Whether a right answer may be kept in memory. */
  readonly remember: boolean;
}
