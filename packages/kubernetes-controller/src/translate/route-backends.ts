import type { BackendReference } from "../cluster/gateway-object.ts";
import {
  type Backend,
  findBackend,
  isFault,
  type ProxySettings,
  proxyTo,
  respond,
  splitByWeight,
} from "./backends.ts";
import { isFalse, type WantedCondition } from "./conditions.ts";
import { isGranted } from "./reference-grants.ts";
import { FilterError, type FilterPlace, translateFilters } from "./route-filters.ts";
import type { Json, Snapshot } from "./snapshot.ts";

/** Inputs for looking up a rule's backends, and a callback for faults. */
export interface BackendSearch {
  readonly snapshot: Snapshot;
  /** Kind and namespace of the route. */
  readonly kind: string;
  readonly namespace: string;
  /** Called with a condition `ResolvedRefs` that is false. */
  readonly fault: (condition: WantedCondition) => void;
}

function resolve(search: BackendSearch, reference: BackendReference): Backend | undefined {
  const { snapshot, kind: fromKind, namespace: fromNamespace, fault } = search;
  const { group = "", kind = "Service", name, port } = reference;
  const toNamespace = reference.namespace ?? fromNamespace;
  if (group !== "" || kind !== "Service") {
    fault(isFalse("ResolvedRefs", "InvalidKind", `${group}/${kind} ${name}: only Services are supported`));
    return undefined;
  }
  const to = { toGroup: "", toKind: "Service", toNamespace, toName: name };
  if (!isGranted(snapshot.referenceGrants, { fromKind, fromNamespace, ...to })) {
    const message = `no ReferenceGrant lets this ${fromKind} use Service ${toNamespace}/${name}`;
    fault(isFalse("ResolvedRefs", "RefNotPermitted", message));
    return undefined;
  }
  const backend = findBackend(snapshot, `${toNamespace}/${name}`, port ?? 0);
  if (isFault(backend)) {
    fault(isFalse("ResolvedRefs", "BackendNotFound", backend.message));
    return undefined;
  }
  return backend;
}

/** One reference of a rule with a positive weight. */
export interface BackendPart {
  readonly reference: BackendReference;
  readonly weight: number;
  /** Undefined when the reference cannot be resolved. */
  readonly backend: Backend | undefined;
}

/** Looks up the backends of a rule. */
export function resolveBackends(
  search: BackendSearch,
  references: readonly BackendReference[],
): BackendPart[] {
  return references
    .map((reference) => ({ reference, weight: reference.weight ?? 1, backend: resolve(search, reference) }))
    .filter(({ weight }) => weight > 0);
}

/** Handlers that send a rule's requests to its backends. @throws FilterError for a backend's filter */
export function backendHandlers(
  search: BackendSearch,
  references: readonly BackendReference[],
  place: FilterPlace,
  settings: ProxySettings,
): Json[] {
  const parts = resolveBackends(search, references);
  if (parts.length === 0) {
    return [respond(500, "no backend\n")];
  }
  const whole = parts.flatMap(({ backend, weight }) => (backend === undefined ? [] : [{ backend, weight }]));
  const first = whole[0]?.backend;
  const isUniform =
    whole.length === parts.length &&
    parts.every(({ reference }) => (reference.filters ?? []).length === 0) &&
    whole.every(({ backend }) => backend.protocol === first?.protocol && backend.upstreams.length > 0);
  if (isUniform) {
    return [proxyTo(whole, settings)];
  }
  const split = parts.map(({ backend, reference, weight }) => {
    const filters = translateFilters(reference.filters ?? [], place);
    if (filters.isFinal) {
      throw new FilterError("a backend's filters cannot redirect");
    }
    const last =
      backend === undefined
        ? respond(500, "no such backend\n")
        : proxyTo([{ backend, weight }], { ...settings, host: filters.host ?? settings.host });
    return { weight, handle: [...filters.handle, last] };
  });
  return splitByWeight(split);
}
