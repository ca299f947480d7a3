import * as z from "zod/mini";

/** Page number of a list in a URL, from 1. An invalid or missing number means the first page. */
export const pageText = z.catch(z.optional(z.string().check(z.regex(/^[1-9]\d{0,3}$/))), undefined);
