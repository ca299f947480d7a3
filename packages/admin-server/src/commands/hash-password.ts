import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";

/**
 * Maximum number of bytes of a password that bcrypt uses. It ignores further bytes, so a longer password is refused.
 */
const maxBcryptBytes = 72;

/**
 * `server hash-password`. Exit codes: 0; 1 for an empty password, or for a password that is too long for the algorithm.
 * Source: Caddy 2.11, observed behavior
 */
export const hashPassword = defineCommand({
  name: "hash-password",
  summary: "Hash a password for basic_auth",
  description: [
    "The password is read from the terminal, twice and without showing it, or from the first line of standard input. --plaintext leaves it in the history of your shell, and shows it to everybody who lists processes. The hash goes to standard output.",
  ],
  options: {
    plaintext: { kind: "text", short: "p", value: "password", about: "The password" },
    algorithm: {
      kind: "text",
      short: "a",
      value: "name",
      choices: ["bcrypt", "argon2id"],
      default: "bcrypt",
      about: "How it is hashed",
    },
    "bcrypt-cost": {
      kind: "number",
      value: "number",
      default: 14,
      range: [4, 31],
      about: "One more takes twice as long, also at each log-in",
    },
    "argon2id-time": { kind: "number", value: "number", default: 1, range: [1, 1000], about: "Passes" },
    "argon2id-memory": {
      kind: "number",
      value: "KiB",
      default: 47_104,
      range: [8, 1_048_576],
      about: "Memory, also at each log-in",
    },
    "argon2id-threads": { kind: "number", value: "number", default: 1, range: [1, 64], about: "Parallelism" },
    "argon2id-keylen": {
      kind: "number",
      value: "bytes",
      default: 32,
      range: [4, 1024],
      about: "Length of the hash",
    },
  },
  examples: [
    { line: "server hash-password", about: "Asks for the password." },
    {
      line: "pwgen 24 1 | server hash-password --algorithm argon2id",
      about: "Hashes a line of standard input.",
    },
  ],
  async run(options) {
    const { readPassword } = await import("../cli/read-password.ts");
    const password = options.plaintext === "" ? await readPassword() : options.plaintext;
    if (password === "") {
      throw new StartError("hash-password: the password is empty");
    }
    if (options.algorithm === "bcrypt") {
      const bytes = Buffer.byteLength(password);
      if (bytes > maxBcryptBytes) {
        throw new StartError(
          `hash-password: ${bytes} bytes are over the limit of bcrypt, ${maxBcryptBytes}: take --algorithm argon2id`,
        );
      }
      const { hashWithBcrypt } = await import("server-modules/passwords/bcrypt");
      process.stdout.write(`${await hashWithBcrypt(password, options["bcrypt-cost"])}\n`);
    } else {
      const { hashWithArgon2id } = await import("../cli/hash-with-argon2id.ts");
      const hash = await hashWithArgon2id(password, {
        passes: options["argon2id-time"],
        memory: options["argon2id-memory"],
        parallelism: options["argon2id-threads"],
        tagLength: options["argon2id-keylen"],
      });
      process.stdout.write(`${hash}\n`);
    }
    return exitCodes.success;
  },
});
