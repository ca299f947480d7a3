import * as z from "zod/mini";

/** Page number of a list in an address, from 1, as text. Unreadable text means page 1. */
export const pageNumber = z.catch(z.string().check(z.regex(/^[1-9]\d{0,2}$/)), "1");
