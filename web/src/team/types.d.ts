// Made by scripts/gen-openapi.js from docs/team-openapi.json.
export interface paths {
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The person who asks, and what they may ask for */
        get: operations["getTeamme"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Turns, tokens and cost, grouped by one property */
        get: operations["getTeamusage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Failed calls, by tool */
        get: operations["getTeamfailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One person's turns, redacted, newest first */
        get: operations["getTeamturns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Own texts that contain all the words */
        get: operations["getTeamsearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All own rows, one per line, for `--store https://…`; the last line is `end` */
        get: operations["getTeamrows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An error, as in RFC 9457. */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description What can be done about it. */
            hint: string | null;
        };
        /** @description The requesting person and their permissions. */
        TeamAsker: {
            login: string;
            scopes: ("push" | "read")[];
            auditor: boolean;
            teams: {
                team_id: string;
                name: string;
                /** @enum {unknown} */
                role: "member" | "lead";
            }[];
            /** @description Widest first. */
            views: components["schemas"]["TeamView"][];
            /** @description Groups with fewer people are not shown to their lead. */
            smallest_group: number;
            /** @description The time zone in which all days are counted. */
            zone: string;
            today: string;
            /** @description The same for names of models, agents, tools and outcomes, if that is fewer. */
            smallest_name: number;
        };
        TeamFailure: {
            /** @description Empty when only numbers were pushed; null for the row that combines tools that failed for too few people. */
            tool: string | null;
            /** @description Number of tools combined in that row; 0 for a tool with a name. */
            hidden_tools: number;
            people: number;
            calls: number;
        };
        TeamFailuresAnswer: {
            since: string;
            until: string;
            failures: components["schemas"]["TeamFailure"][];
            withheld: string | null;
        };
        TeamGroup: {
            /** @description Null for the row that combines all groups too small to be shown. */
            name: string | null;
            /** @description Number of groups combined in that row; 0 for a group with a name. */
            hidden_groups: number;
            people: number;
            /** @description These are null in a `led` view where too few people have any, and with `outcome` all but turns are. */
            turns: number | null;
            calls: number | null;
            failed_calls: number | null;
            responses: number | null;
            /** @description Responses of models without a known price, which are not part of the cost. */
            unpriced_responses: number | null;
            input_tokens: number | null;
            cached_input_tokens: number | null;
            cache_write_tokens: number | null;
            output_tokens: number | null;
            reasoning_tokens: number | null;
            cost_usd: number | null;
        };
        TeamHit: {
            session_id: string;
            /** @description Number of the turn that contains the text; null when none does. */
            turn: number | null;
            line: number | null;
            /** @description Kind of the text: `prompt`, `reply`, … as in `daybook search`. */
            kind: string;
            at: string | null;
            /** @description Redacted before the push. */
            text: string;
        };
        TeamSearchAnswer: {
            query: string;
            /** @description Newest first. */
            hits: components["schemas"]["TeamHit"][];
            /** @description What retention removed from these days; null when nothing was removed. */
            withheld: string | null;
        };
        TeamTurn: {
            login: string;
            session_id: string;
            n: number;
            at: string | null;
            status: string;
            source: string;
            project: string;
            model: string;
            calls: number;
            failed_calls: number;
            cost_usd: number | null;
            /** @description The turn as in `daybook turns --json`, redacted before the push; null when it was not pushed or was removed. */
            turn: unknown;
        };
        TeamTurnsAnswer: {
            turns: components["schemas"]["TeamTurn"][];
            /** @description Cursor of the next page; null at the end. */
            next_cursor: string | null;
            /** @description What retention removed from these days; null when nothing was removed. */
            withheld: string | null;
        };
        TeamUsageAnswer: {
            /** @description In a `led` view always a Monday, and `until` a Sunday: its totals cover whole weeks. */
            since: string;
            until: string;
            /** @enum {unknown} */
            by: "total" | "day" | "project" | "model" | "source" | "person" | "week" | "outcome";
            groups: components["schemas"]["TeamGroup"][];
            /** @description Why groups are missing; null when none are. */
            withheld: string | null;
        };
        /** @description One view that the requesting person may use. */
        TeamView: {
            /** @description The value for the `view` parameter: `own`, `all` or a team's id. */
            view: string;
            /** @description The team's name; null when the view is not a team. */
            name: string | null;
            /**
             * @description `own`: own data; `led`: group totals in whole weeks; `audited`: everything except texts.
             * @enum {unknown}
             */
            kind: "own" | "led" | "audited";
            /** @description Number of people in the view, including those who never pushed. */
            people: number;
            /** @description What the team means to spend in a month; null without a budget. */
            monthly_budget_usd: number | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getTeamme: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamAsker"];
                };
            };
            /** @description Why it could not be answered */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTeamusage: {
        parameters: {
            query?: {
                /** @description `own`, a team's id, or `all` */
                view?: string;
                since?: string;
                until?: string;
                by?: "total" | "day" | "project" | "model" | "source" | "person" | "week" | "outcome";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamUsageAnswer"];
                };
            };
            /** @description Why it could not be answered */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTeamfailures: {
        parameters: {
            query?: {
                /** @description `own`, a team's id, or `all` */
                view?: string;
                since?: string;
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamFailuresAnswer"];
                };
            };
            /** @description Why it could not be answered */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTeamturns: {
        parameters: {
            query?: {
                /** @description `own`, a team's id, or `all` */
                view?: string;
                since?: string;
                until?: string;
                /** @description Whose turns; required if several people may be seen */
                person?: string;
                project?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamTurnsAnswer"];
                };
            };
            /** @description Why it could not be answered */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTeamsearch: {
        parameters: {
            query: {
                /** @description Words; a phrase in quotes */
                q: string;
                since?: string;
                until?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamSearchAnswer"];
                };
            };
            /** @description Why it could not be answered */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTeamrows: {
        parameters: {
            query?: {
                /** @description Lists in addition to the sessions: `turns`, `calls`, `responses`, `asked`, `facts`, separated by commas; all when absent */
                lists?: string;
                /** @description Only rows of sessions that were active after this time, in epoch ms */
                from?: number | null;
                /** @description … and before this time */
                to?: number | null;
                /** @description The same for responses, if they are needed for another range */
                spent_from?: number | null;
                spent_to?: number | null;
                /** @description Instead of everything else: sums of what was spent, by day of this time zone, agent and model */
                sums_in?: string;
                /** @description Responses of a turn within a quarter of an hour as one, to be added up by when they were spent, or by when their turn began */
                together?: "spent" | "trigger";
                /** @description Also texts that contain one of these words */
                words?: string;
                /** @description If at least so many texts contain all the words, only so many of them, the best first */
                most_texts?: number;
                /** @description Only the first line: `state` changes with every push */
                state?: "0" | "1" | "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description Why it could not be answered */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
