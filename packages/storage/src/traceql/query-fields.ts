import {
  type Field,
  type FieldExpression,
  type MetricsExpression,
  type Pipeline,
  printField,
  type ScalarExpression,
  type SpansetExpression,
  type Stage,
  type TraceQlQuery,
} from "traceql";

/** Intrinsics that are in `SpanFacts` itself, or that are computed from the trace. */
const known: ReadonlySet<string> = new Set([
  ...[
    "span:duration",
    "span:name",
    "span:status",
    "span:kind",
    "span:id",
    "span:parentID",
    "span:childCount",
  ],
  ...["trace:duration", "trace:rootName", "trace:rootService", "trace:id"],
  ...["nestedSetLeft", "nestedSetRight", "nestedSetParent"],
]);

/** The fields that must be read from each span for a query, with their indexes in `SpanFacts.values`. */
export class QueryFields {
  readonly #slots = new Map<string, number>();
  readonly #stored: Field[] = [];
  readonly #named = new Map<string, Field>();
  readonly #selected = new Set<string>();

  constructor(query: TraceQlQuery) {
    if (query.type === "search") {
      this.#pipeline(query.pipeline);
    } else {
      this.#metrics(query.expression);
    }
  }

  /** Fields by index. Fields of a parent are missing, because the parent's own values contain them. */
  get stored(): readonly Field[] {
    return this.#stored;
  }

  /** All fields of the query by their text, in the order of the query, without repeats. */
  get named(): ReadonlyMap<string, Field> {
    return this.#named;
  }

  /** Texts of the fields that `select` names. */
  get selected(): ReadonlySet<string> {
    return this.#selected;
  }

  slotOf(field: Field): number {
    return this.#slots.get(printField(own(field))) ?? -1;
  }

  #add(field: Field): void {
    this.#named.set(printField(field), field);
    const stored = own(field);
    const key = printField(stored);
    if ((stored.type === "intrinsic" && known.has(stored.name)) || this.#slots.has(key)) {
      return;
    }
    this.#slots.set(key, this.#stored.length);
    this.#stored.push(stored);
  }

  #pipeline({ stages }: Pipeline): void {
    for (const stage of stages) {
      this.#stage(stage);
    }
  }

  #stage(stage: Stage | SpansetExpression): void {
    switch (stage.type) {
      case "pipeline":
        this.#pipeline(stage);
        return;
      case "filter":
        this.#expression(stage.condition);
        return;
      case "spanset-operation":
        this.#stage(stage.left);
        this.#stage(stage.right);
        return;
      case "scalar-filter":
        this.#scalar(stage.left);
        this.#scalar(stage.right);
        return;
      case "group":
        this.#expression(stage.expression);
        return;
      case "select":
        for (const field of stage.fields) {
          this.#selected.add(printField(field));
          this.#add(field);
        }
        return;
      case "coalesce":
        return;
    }
  }

  #scalar(expression: ScalarExpression): void {
    if (expression.type === "aggregate" && expression.operand !== undefined) {
      this.#expression(expression.operand);
    }
    if (expression.type === "scalar-operation") {
      this.#scalar(expression.left);
      this.#scalar(expression.right);
    }
  }

  #expression(expression: FieldExpression): void {
    switch (expression.type) {
      case "static":
        return;
      case "attribute":
      case "intrinsic":
        this.#add(expression);
        return;
      case "unary":
      case "exists":
        this.#expression(expression.operand);
        return;
      case "binary":
        this.#expression(expression.left);
        this.#expression(expression.right);
        return;
    }
  }

  #metrics(expression: MetricsExpression): void {
    if (expression.type === "metrics-math") {
      this.#metrics(expression.left);
      this.#metrics(expression.right);
    } else if (expression.type === "metrics-comparison") {
      this.#pipeline(expression.pipeline);
      this.#expression(expression.selection.condition);
    } else if (expression.type === "metrics-pipeline") {
      this.#pipeline(expression.pipeline);
      const { field, by } = expression.aggregate;
      for (const each of field === undefined ? by : [field, ...by]) {
        this.#add(each);
      }
    }
  }
}

function own(field: Field): Field {
  return field.type === "attribute" && field.ofParent ? { ...field, ofParent: false } : field;
}
