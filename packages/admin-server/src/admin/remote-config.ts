import { z } from "zod";

/** A right: paths and methods. A single right must cover both path and method of a request. */
const permissionSchema = z.strictObject({
  paths: z
    .array(z.string())
    .nullish()
    .describe("Paths that may be asked, with all below them (all): `/config/apps/http`."),
  methods: z.array(z.string()).nullish().describe("Methods that may be used there (all), upper case."),
});

/** A group of clients with the same rights. */
const accessSchema = z.strictObject({
  public_keys: z
    .array(z.string())
    .nullish()
    .describe("Certificates of clients, DER in base64; what counts is the key in them."),
  permissions: z.array(permissionSchema).nullish().describe("What these clients may do (everything)."),
});

/** `admin.remote`. Source: Caddy 2.11 */
export const remoteSchema = z.strictObject({
  listen: z.string().nullish().describe("One address (:2021)."),
  access_control: z
    .array(accessSchema)
    .nullish()
    .describe("Who may do what, by client certificate; nobody when absent."),
});

export type AccessEntry = z.infer<typeof accessSchema>;
