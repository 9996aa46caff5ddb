// Made by scripts/gen-openapi.js from docs/team-openapi.json.
export interface paths {
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who asks, and what they may ask for */
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
        /** Turns, tokens and cost, put together by one thing */
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
        /** Calls that went wrong, by tool */
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
        /** One person's turns, redacted, the newest first */
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
        /** One's own texts that hold all the words */
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
        /** All one's own rows, one a line, for `--store https://…`; the last line is `end` */
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
        /** @description An error, as RFC 9457 has it. */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description What can be done about it. */
            hint: string | null;
        };
        /** @description Who asks, and what they may ask for. */
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
            /** @description The widest first. */
            views: components["schemas"]["TeamView"][];
            /** @description Of fewer people no group is shown to who leads them. */
            smallest_group: number;
            /** @description The zone all days are counted in. */
            zone: string;
            today: string;
        };
        TeamFailure: {
            /** @description Empty where only numbers were pushed; null for the tools that too few people had trouble with, all together. */
            tool: string | null;
            /** @description How many tools that row stands for; 0 for one that has a name. */
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
            /** @description Null for the groups that are too small to be shown, all together. */
            name: string | null;
            /** @description How many groups that row stands for; 0 for one that has a name. */
            hidden_groups: number;
            people: number;
            turns: number;
            calls: number;
            failed_calls: number;
            responses: number;
            /** @description Responses of models without a known price: not part of the cost. */
            unpriced_responses: number;
            input_tokens: number;
            cached_input_tokens: number;
            cache_write_tokens: number;
            output_tokens: number;
            reasoning_tokens: number;
            cost_usd: number;
        };
        TeamHit: {
            session_id: string;
            /** @description The number of the turn it stands in; null where it stands in none. */
            turn: number | null;
            line: number | null;
            /** @description What it is: `prompt`, `reply`, … as `daybook search` names it. */
            kind: string;
            at: string | null;
            /** @description Redacted before it was sent. */
            text: string;
        };
        TeamSearchAnswer: {
            query: string;
            /** @description The newest first. */
            hits: components["schemas"]["TeamHit"][];
            /** @description What was removed of these days, because it was old; null where nothing was. */
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
            /** @description The turn as `daybook turns --json` says it, redacted before it was sent; null where only numbers were, or where its text was removed. */
            turn: unknown;
        };
        TeamTurnsAnswer: {
            turns: components["schemas"]["TeamTurn"][];
            /** @description Leads to the next piece; null at the end. */
            next_cursor: string | null;
            /** @description What was removed of these days, because it was old; null where nothing was. */
            withheld: string | null;
        };
        TeamUsageAnswer: {
            /** @description Of a team that is led always a Monday, as `until` is a Sunday: such totals are of whole weeks. */
            since: string;
            until: string;
            /** @enum {unknown} */
            by: "total" | "day" | "project" | "model" | "source" | "person";
            groups: components["schemas"]["TeamGroup"][];
            /** @description Why there are no groups, or not all; null where nothing is left out. */
            withheld: string | null;
        };
        /** @description One of the things somebody may ask for. */
        TeamView: {
            /** @description What `view` takes: `own`, `all` or a team's id. */
            view: string;
            /** @description The team's name; null where it is no team. */
            name: string | null;
            /**
             * @description `own`: one's own; `led`: totals of groups in whole weeks; `audited`: everything but texts.
             * @enum {unknown}
             */
            kind: "own" | "led" | "audited";
            /** @description How many people it is about, those that never pushed too. */
            people: number;
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
                by?: "total" | "day" | "project" | "model" | "source" | "person";
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
                /** @description Whose; needed where several may be seen */
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
                /** @description Which lists beside the sessions: `turns`, `calls`, `responses`, `asked`, `facts`, by commas; all when absent */
                lists?: string;
                /** @description Only rows of sessions some part of whose life is later, in epoch ms */
                from?: number | null;
                /** @description … and earlier */
                to?: number | null;
                /** @description The same for responses, where they are needed of another time */
                spent_from?: number | null;
                spent_to?: number | null;
                /** @description Texts too that hold one of these words */
                words?: string;
                /** @description Only the first line: `state` is another one after every push */
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
