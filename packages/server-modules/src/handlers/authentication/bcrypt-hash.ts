import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { askPasswordCheck } from "../../passwords/ask-password-check.ts";
import type { PasswordHash } from "./auth-provider.ts";

/** Hash of a random, discarded password; cost 14, as in Caddy. */
const fakeHash = "$2a$14$X3ulqf/iGxnf1k6oMZ.RZeJUoqI9PX2PM4rS5lkIKJXduLGXGPrt6";

/** Compares passwords with bcrypt hashes, in separate threads. */
export const bcryptHash = defineModule({
  id: "http.authentication.hashes.bcrypt",
  config: z.strictObject({
    cost: z.int().min(4).max(31).nullish().describe("Cost of new hashes; hashes say their own."),
  }),
  provision(_config, { messages }): PasswordHash {
    return {
      fakeHash,
      verify: (hash, password, attempt) =>
        askPasswordCheck(messages, { algorithm: "bcrypt", hash, password }, attempt),
    };
  },
});
