import { argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { z } from "zod";
import { defineModule } from "../../../core/modules/module.ts";
import type { PasswordHash } from "./auth-provider.ts";

/** Of a random password that nobody kept. */
const fakeHash =
  "$argon2id$v=19$m=47104,t=1,p=1$P2nzckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg";

/** The most memory that a hash may ask for, in KiB. */
const maxMemoryKiB = 1024 * 1024;
const maxPasses = 1000;
const maxParallelism = 64;

interface Parsed {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** Source: the PHC string format, github.com/P-H-C/phc-string-format */
function parse(hash: string): Parsed {
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

/** Passwords hashed with argon2id; compared in the thread pool. Source: RFC 9106 */
export const argon2idHash = defineModule({
  id: "http.authentication.hashes.argon2id",
  config: z.strictObject({
    time: z.int().nullish().describe("Passes of new hashes; hashes say their own."),
    memory: z.int().nullish().describe("Memory of new hashes in KiB; hashes say their own."),
    threads: z.int().nullish().describe("Parallelism of new hashes; hashes say their own."),
    key_len: z.int().nullish().describe("Length of new hashes in bytes; hashes say their own."),
  }),
  provision(): PasswordHash {
    return {
      fakeHash,
      async verify(hash, password) {
        const { memory, passes, parallelism, salt, tag } = parse(hash);
        const found = await promisify(argon2)("argon2id", {
          message: password,
          nonce: salt,
          parallelism,
          tagLength: tag.length,
          memory,
          passes,
        });
        return timingSafeEqual(found, tag);
      },
    };
  },
});
