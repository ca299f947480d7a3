import { z } from "zod";

/** What clients are told to sample. */
export const samplingOptions = z.object({});
