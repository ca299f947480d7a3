import { z } from "zod";

/** What happens to spans between receivers and storage. */
export const pipelineOptions = z.object({});
