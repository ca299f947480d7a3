import { compareSync, genSaltSync, hash } from "bcryptjs";

/** Matches cost 4 to 31, a salt of 22 and a digest of 31 characters. */
const wellFormed = /^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

/**
 * Compares a password with a hash; false also for a hash that is not bcrypt. JavaScript takes about 1.2 times as long
 * as native code, but runs on every platform.
 */
export function verifyBcrypt(password: string, hashed: string): boolean {
  return wellFormed.test(hashed) && compareSync(password, hashed);
}

/** Hashes a password. bcrypt uses only the first 72 bytes. The prefix is the same as in Caddy. */
export function hashWithBcrypt(password: string, cost: number): Promise<string> {
  return hash(password, genSaltSync(cost).replace("$2b$", "$2a$"));
}
