import * as z from "zod/mini";

/** The page of a list in an address, from 1. Anything unreadable, and nothing, is the first. */
export const pageText = z.catch(z.optional(z.string().check(z.regex(/^[1-9]\d{0,3}$/))), undefined);
