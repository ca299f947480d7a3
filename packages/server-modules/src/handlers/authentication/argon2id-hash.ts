import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { askPasswordCheck } from "../../passwords/ask-password-check.ts";
import type { PasswordHash } from "./auth-provider.ts";

/** Hash of a random, discarded password. */
const fakeHash =
  "$argon2id$v=19$m=47104,t=1,p=1$P2nzckEdTZ3bxCiBCkRTyA$xQL3Z32eo5jKl7u5tcIsnEKObYiyNZQQf5/4sAau6Pg";

/**
 * Compares passwords with argon2id hashes, in separate threads. The config fields exist in Caddy and have no
 * effect here, because each hash contains its cost.
 */
export const argon2idHash = defineModule({
  id: "http.authentication.hashes.argon2id",
  config: z.strictObject({
    time: z.int().nullish().describe("Passes of new hashes; hashes say their own."),
    memory: z.int().nullish().describe("Memory of new hashes in KiB; hashes say their own."),
    threads: z.int().nullish().describe("Parallelism of new hashes; hashes say their own."),
    key_len: z.int().nullish().describe("Length of new hashes in bytes; hashes say their own."),
  }),
  provision(_config, { messages }): PasswordHash {
    return {
      fakeHash,
      verify: (hash, password, attempt) =>
        askPasswordCheck(messages, { algorithm: "argon2id", hash, password }, attempt),
    };
  },
});
