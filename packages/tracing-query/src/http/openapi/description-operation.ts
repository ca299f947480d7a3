import { z } from "zod";
import type { OperationGroup } from "./operation.ts";

/** The endpoint that serves this description. */
export const descriptionGroup: OperationGroup = {
  name: "Description",
  description: "What this API is.",
  operations: [
    {
      method: "GET",
      path: "/api/openapi.json",
      id: "getDescription",
      summary: "This description",
      description: "For everybody: it names no tenant's data.",
      answer: {
        contentType: "application/json",
        schema: z.looseObject({ openapi: z.string().regex(/^3\.1\./), paths: z.looseObject({}) }),
      },
      failures: "text",
      failureStatuses: [],
      example: {},
    },
  ],
};
