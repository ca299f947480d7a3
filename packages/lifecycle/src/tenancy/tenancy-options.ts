import { z } from "zod";
import { commaList } from "../options/fields.ts";
import { isTenantName } from "./tenant-check.ts";

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The tenancy options. All processes that receive or return spans have these options. */
export function tenancyOptions() {
  return {
    "multi-tenancy.enabled": z
      .boolean()
      .default(false)
      .describe("Each request names a tenant in a header, and sees only what came in under that name."),
    "multi-tenancy.header": z
      .string()
      .regex(headerName, "not the name of a header")
      .transform((name) => name.toLowerCase())
      .prefault("x-tenant")
      .describe("Header of HTTP, or metadata of gRPC, that names the tenant.")
      .meta({ placeholder: "name" }),
    "multi-tenancy.tenants": commaList()
      .refine(
        (names) => names.every(isTenantName),
        "a tenant's name has up to 150 visible characters of ASCII",
      )
      .describe("The tenants that are served; empty: any."),
  };
}

type Fields = ReturnType<typeof tenancyOptions>;

/** Parsed options that include the options of `tenancyOptions`. */
export type TenancyOptions = { readonly [Name in keyof Fields]: z.infer<Fields[Name]> };
