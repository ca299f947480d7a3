import { z } from "zod";

/** A path in a config. No file system takes a NUL, so it is refused before a request fails because of it. */
export function pathText(): z.ZodString {
  return z.string().refine((text) => !text.includes("\0"), { error: "a path has no NUL" });
}
