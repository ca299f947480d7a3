import * as z from "zod/mini";

/** The page of a list in an address, from 1; a text, as all of an address. Anything unreadable is the first. */
export const pageNumber = z.catch(z.string().check(z.regex(/^[1-9]\d{0,2}$/)), "1");
