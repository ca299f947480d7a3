import { argon2Sync, timingSafeEqual } from "node:crypto";
import { verifyBcrypt } from "./bcrypt.ts";
import type { PasswordCheck } from "./password-check.ts";

/**
 * Maximum memory in KiB that a hash may require. A hash that needs more is refused, because a check could
 * exhaust the machine.
 */
const maxMemoryKiB = 1024 * 1024;
/**
 * Maximum number of passes that a hash may require; a hash with more is refused. A hash above this would occupy a
 * thread for minutes.
 */
const maxPasses = 1000;
const maxParallelism = 64;

/** The parts of a hash in PHC form. */
interface Argon2idHash {
  /** Memory in KiB. Source: RFC 9106 */
  readonly memory: number;
  /** Number of passes over the memory. */
  readonly passes: number;
  /** Lanes that the hash computes in parallel. */
  readonly parallelism: number;
  readonly salt: Buffer;
  /** Hash to compare with. */
  readonly tag: Buffer;
}

/** Parses a hash. Source: the PHC string format, github.com/P-H-C/phc-string-format */
function parseArgon2id(hash: string): Argon2idHash {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash);
  const [memory, passes, parallelism] = (match ?? []).slice(1, 4).map(Number);
  const [salt, tag] = (match ?? []).slice(4).map((text) => Buffer.from(text, "base64"));
  if (!memory || !passes || !parallelism || salt === undefined || tag === undefined) {
    throw new Error("not a hash of argon2id version 19");
  }
  if (memory > maxMemoryKiB || passes > maxPasses || parallelism > maxParallelism || tag.length < 4) {
    throw new Error(
      `argon2id parameters m=${memory}, t=${passes}, p=${parallelism} over the limits m=${maxMemoryKiB}, t=${maxPasses}, p=${maxParallelism}`,
    );
  }
  return { memory, passes, parallelism, salt, tag };
}

/** Source: RFC 9106 */
function verifyArgon2id(hash: string, password: string): boolean {
  const { memory, passes, parallelism, salt, tag } = parseArgon2id(hash);
  const cost = { parallelism, tagLength: tag.length, memory, passes };
  return timingSafeEqual(argon2Sync("argon2id", { message: password, nonce: salt, ...cost }), tag);
}

/**
 * Compares a password with a hash. This blocks the calling thread, for up to seconds.
 * @throws when an argon2id hash has a different format, or requires too much memory or time
 */
export function verifyPassword({ algorithm, hash, password }: PasswordCheck): boolean {
  return algorithm === "bcrypt" ? verifyBcrypt(password, hash) : verifyArgon2id(hash, password);
}
