import { z } from "zod";

/** Formats of blocks that this import reads. Older ones (`v2`, `vParquet`, `vParquet2`) have another schema. */
const formats = ["vParquet3", "vParquet4", "vParquet5"];

/**
 * `meta.json` of a block. Tempo shortens the field names of dedicated columns (`s`, `n`, `t`, `o`), and leaves out the
 * scope `span` and the type `string`.
 */
const blockMeta = z.object({
  format: z.string(),
  blockID: z.string(),
  tenantID: z.string().default(""),
  startTime: z.iso.datetime({ offset: true }),
  endTime: z.iso.datetime({ offset: true }),
  totalObjects: z.number().int().min(0).default(0),
  replaces: z.array(z.string()).nullish(),
  dedicatedColumns: z
    .array(
      z.object({
        ...{ s: z.string().optional(), n: z.string().optional(), t: z.string().optional() },
        ...{ scope: z.string().optional(), name: z.string().optional(), type: z.string().optional() },
        ...{ o: z.array(z.string()).nullish(), options: z.array(z.string()).nullish() },
      }),
    )
    .nullish(),
});

/** An attribute with a column of its own. */
export interface DedicatedColumn {
  /** Key of the attribute. */
  readonly key: string;
  /** Name of the column in `DedicatedAttributes`, such as `String01`. */
  readonly column: string;
}

export interface BlockMeta {
  readonly format: string;
  readonly blockId: string;
  /** Tempo's tenant; `single-tenant` without tenants. */
  readonly tenantId: string;
  /** Milliseconds since the Unix epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly traces: number;
  /** Ids of blocks whose spans are in this block too. */
  readonly replaces: readonly string[];
  readonly dedicated: DedicatedColumns;
}

/** Dedicated columns of a block, by scope. */
export interface DedicatedColumns {
  readonly resource: readonly DedicatedColumn[];
  readonly span: readonly DedicatedColumn[];
  readonly event: readonly DedicatedColumn[];
}

/**
 * Parses `meta.json`. @throws Error that says what is wrong, without the file's name
 */
export function parseBlockMeta(text: string): BlockMeta {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error("meta.json is not JSON");
  }
  const { success, data, error } = blockMeta.safeParse(json);
  if (!success) {
    const [issue] = error.issues;
    throw new Error(`meta.json: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  if (!formats.includes(data.format)) {
    throw new Error(`format ${JSON.stringify(data.format)} is none of ${formats.join(", ")}`);
  }
  // In older formats, attributes whose column has options, such as lists, are in the general list of attributes.
  const listed = (data.dedicatedColumns ?? []).filter(
    ({ o, options = o }) => data.format === "vParquet5" || (options ?? []).length === 0,
  );
  const columns = listed.map((each) => ({
    scope: each.s ?? each.scope ?? "span",
    type: each.t ?? each.type ?? "string",
    key: each.n ?? each.name ?? "",
  }));
  const of = (scope: string) => ["string", "int"].flatMap((type) => numbered(columns, scope, type));
  return {
    ...{ format: data.format, blockId: data.blockID, tenantId: data.tenantID },
    ...{ startMs: Date.parse(data.startTime), endMs: Date.parse(data.endTime), traces: data.totalObjects },
    ...{ replaces: data.replaces ?? [] },
    dedicated: { resource: of("resource"), span: of("span"), event: of("event") },
  };
}

/** The columns of a scope and type have numbers in the order of the list: `String01`, `String02`, `Int01`. */
function numbered(
  columns: readonly { readonly scope: string; readonly type: string; readonly key: string }[],
  scope: string,
  type: string,
): DedicatedColumn[] {
  const prefix = type === "int" ? "Int" : "String";
  return columns
    .filter((column) => column.scope === scope && column.type === type)
    .map(({ key }, index) => ({ key, column: `${prefix}${String(index + 1).padStart(2, "0")}` }));
}
