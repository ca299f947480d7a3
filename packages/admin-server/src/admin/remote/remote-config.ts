import { z } from "zod";
import { notYet } from "../../core/modules/config-fields.ts";

const permissionSchema = z.strictObject({
  paths: z
    .array(z.string())
    .nullish()
    .describe("Paths that may be asked, with all below them (all): `/config/apps/http`."),
  methods: z.array(z.string()).nullish().describe("Methods that may be used there (all), upper case."),
});

const accessSchema = z.strictObject({
  public_keys: z
    .array(z.string())
    .nullish()
    .describe("Certificates of clients, DER in base64; what counts is the key in them."),
  permissions: z.array(permissionSchema).nullish().describe("What these clients may do (everything)."),
});

/** `admin.identity`. Source: the public model (Caddy 2.11); `certificates` is ours. */
export const identitySchema = z.strictObject({
  identifiers: z.array(z.string()).nullish().describe("Names that the server is known by."),
  certificates: z
    .array(
      z.strictObject({
        certificate: z.string().describe("Path of a PEM file: the certificate, then its chain."),
        key: z.string().describe("Path of a PEM file: its key."),
      }),
    )
    .nullish()
    .describe("Certificates from files, read at each load; the first that fits the name asked for is shown."),
  issuers: notYet(),
});

/** `admin.remote`. Source: the public model (Caddy 2.11) */
export const remoteSchema = z.strictObject({
  listen: z.string().nullish().describe("One address (:2021)."),
  access_control: z
    .array(accessSchema)
    .nullish()
    .describe("Who may do what, by client certificate; nobody when absent."),
});

export type IdentityConfig = z.infer<typeof identitySchema>;

export type AccessEntry = z.infer<typeof accessSchema>;
