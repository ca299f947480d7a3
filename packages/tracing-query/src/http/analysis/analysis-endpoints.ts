import type { AdjustOptions } from "../../service/adjusters/adjust-trace.ts";
import type { KeptStores } from "../../service/kept-stores.ts";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { SearchCounts } from "../../usage/search-counts.ts";
import type { Endpoint, EndpointDefinition, EndpointMethod } from "../endpoint.ts";
import type { OperationDescription, OperationGroup } from "../openapi/operation.ts";
import { problemStyle } from "../problem.ts";
import { readBody } from "../read-body.ts";
import {
  attributeNamesEndpoint,
  attributeNamesOperation,
  attributeValuesEndpoint,
  attributeValuesOperation,
} from "./attributes.ts";
import { capabilitiesEndpoint, capabilitiesOperation } from "./capabilities.ts";
import { changesEndpoint, changesOperation } from "./changes.ts";
import { compareByAddressOperation, compareEndpoint, compareOperation } from "./compare.ts";
import {
  criticalPathEndpoint,
  criticalPathOperation,
  traceCriticalPathEndpoint,
  traceCriticalPathOperation,
} from "./critical-path.ts";
import {
  dependencyGraphEndpoint,
  dependencyGraphOperation,
  dependencyListEndpoint,
  dependencyListOperation,
} from "./dependencies.ts";
import { diffEndpoint, diffOperation } from "./diff.ts";
import { exceptionsEndpoint, exceptionsOperation } from "./exceptions.ts";
import { genAiEndpoint, genAiOperation } from "./gen-ai.ts";
import { groupsEndpoint, groupsOperation } from "./groups.ts";
import { heatMapEndpoint, heatMapOperation } from "./heatmap.ts";
import { modelPricesEndpoint, modelPricesOperation } from "./model-prices.ts";
import { namesEndpoint, namesOperation } from "./names.ts";
import {
  addNoteOperation,
  noteListOperation,
  notesEndpoint,
  removeNoteEndpoint,
  removeNoteOperation,
} from "./notes.ts";
import {
  percentileEndpoint,
  percentileOperation,
  tracePercentilesEndpoint,
  tracePercentilesOperation,
} from "./percentiles.ts";
import { tailOperation } from "./tail.ts";
import { topOperationsEndpoint, topOperationsOperation } from "./top-operations.ts";
import { usageEndpoint, usageOperation } from "./usage.ts";
import {
  linkEndpoint,
  linkOperation,
  removeViewEndpoint,
  removeViewOperation,
  renameViewEndpoint,
  renameViewOperation,
  saveViewOperation,
  viewListOperation,
  viewsEndpoint,
} from "./views.ts";

/** Version 1 of the analysis API. */
export const analysisGroup: OperationGroup = {
  name: "Analysis",
  description:
    "Questions about many spans at once, version 1. Times are microseconds since the Unix epoch, durations microseconds, " +
    "both as numbers; times in a request are half open, from `start` to before `end`. Parameters that are not known are refused.",
  operations: [
    capabilitiesOperation,
    heatMapOperation,
    compareByAddressOperation,
    compareOperation,
    changesOperation,
    percentileOperation,
    tracePercentilesOperation,
    topOperationsOperation,
    groupsOperation,
    genAiOperation,
    usageOperation,
    exceptionsOperation,
    dependencyListOperation,
    dependencyGraphOperation,
    criticalPathOperation,
    traceCriticalPathOperation,
    diffOperation,
    tailOperation,
    namesOperation,
    attributeNamesOperation,
    attributeValuesOperation,
    modelPricesOperation,
    viewListOperation,
    saveViewOperation,
    renameViewOperation,
    removeViewOperation,
    linkOperation,
    noteListOperation,
    addNoteOperation,
    removeNoteOperation,
  ],
};

/**
 * Creates an entry of the table. With `isHeavy`, the default, the request holds a place of the gate until its answer is
 * sent. Otherwise only its reads of the store hold a place.
 */
function one(
  { path, method }: OperationDescription,
  answer: Endpoint,
  { isHeavy = true, methods = [method] }: { isHeavy?: boolean; methods?: readonly EndpointMethod[] } = {},
): [string, EndpointDefinition] {
  return [
    path,
    {
      method: methods,
      answer,
      style: problemStyle,
      isHeavy,
      ...(methods.includes("POST") ? { readBody } : {}),
    },
  ];
}

/** All endpoints of the analysis API by path, except `tail`, which streams without an end. */
export function analysisEndpoints(
  service: QueryService,
  {
    adjust,
    limits,
    views,
    notes,
    prices,
    searchCounts,
  }: KeptStores & {
    readonly adjust: AdjustOptions;
    readonly limits: ReadLimits;
    readonly searchCounts?: SearchCounts | undefined;
  },
): [path: string, definition: EndpointDefinition][] {
  const { analysis } = service;
  return [
    one(capabilitiesOperation, capabilitiesEndpoint(service, limits, views), { isHeavy: false }),
    one(heatMapOperation, heatMapEndpoint(service, limits)),
    one(compareOperation, compareEndpoint(analysis, limits), { methods: ["GET", "POST"] }),
    one(changesOperation, changesEndpoint(service, adjust, limits)),
    one(percentileOperation, percentileEndpoint(service, limits)),
    one(tracePercentilesOperation, tracePercentilesEndpoint(service, adjust, limits)),
    one(topOperationsOperation, topOperationsEndpoint(analysis, limits)),
    one(groupsOperation, groupsEndpoint(service, limits)),
    one(genAiOperation, genAiEndpoint(service, limits, prices)),
    one(usageOperation, usageEndpoint(service, limits, searchCounts)),
    one(exceptionsOperation, exceptionsEndpoint(service, limits)),
    one(dependencyListOperation, dependencyListEndpoint(service, limits), { isHeavy: false }),
    one(dependencyGraphOperation, dependencyGraphEndpoint(service, limits), { isHeavy: false }),
    one(criticalPathOperation, criticalPathEndpoint(service, limits)),
    one(traceCriticalPathOperation, traceCriticalPathEndpoint(service, adjust, limits)),
    one(diffOperation, diffEndpoint(service, adjust, limits)),
    one(namesOperation, namesEndpoint(service), { isHeavy: false }),
    one(attributeNamesOperation, attributeNamesEndpoint(service, limits), { isHeavy: false }),
    one(attributeValuesOperation, attributeValuesEndpoint(service, limits), { isHeavy: false }),
    one(modelPricesOperation, modelPricesEndpoint(prices), { isHeavy: false }),
    one(viewListOperation, viewsEndpoint(views), { isHeavy: false, methods: ["GET", "POST"] }),
    one(renameViewOperation, renameViewEndpoint(views), { isHeavy: false }),
    one(removeViewOperation, removeViewEndpoint(views), { isHeavy: false }),
    one(linkOperation, linkEndpoint(views), { isHeavy: false }),
    one(noteListOperation, notesEndpoint(notes), { isHeavy: false, methods: ["GET", "POST"] }),
    one(removeNoteOperation, removeNoteEndpoint(notes), { isHeavy: false }),
  ];
}
