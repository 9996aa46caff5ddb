// Made by scripts/gen-openapi.js from docs/openapi.json.
export interface paths {
    "/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is here */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is at work, and what waits for the human */
        get: operations["getNow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Days with work: turns, tokens, cost */
        get: operations["getDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What came of a day, a week or any span of days */
        get: operations["getReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Files that turns changed, the last changed first */
        get: operations["getFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/files/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which turns changed one file, under any of its names, in order of time */
        get: operations["getFilesHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read what is new now; only Daybook's own page may ask */
        post: operations["postSync"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions, the newest first unless asked otherwise */
        get: operations["getSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{source}/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session with all its turns */
        get: operations["getSessionsSourceSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{source}/{session}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session with all its turns in few words */
        get: operations["getSessionsSourceSessionRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{source}/{session}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The records of a session, or of one of its turns, in order */
        get: operations["getSessionsSourceSessionRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{source}/{session}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What one native line is, and why, with the line itself */
        get: operations["getSessionsSourceSessionExplain"];
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
        /** Turns, the newest first */
        get: operations["getTurns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The labels there are, and on how many sessions and turns */
        get: operations["getLabels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{source}/{session}/marks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Puts a star, labels or a note on a session or one of its turns, or takes them off */
        post: operations["postSessionsSourceSessionMarks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tool calls and how they ended */
        get: operations["getTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tool calls counted by what was run */
        get: operations["getToolsCommands"];
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
        /** Full-text search */
        get: operations["getSearch"];
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
        /** Tokens and what they cost, each counted once */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What projects, agents and kinds of turns spent */
        get: operations["getUsageShares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage/dearest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The turns that cost most */
        get: operations["getUsageDearest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Stretches of hours as providers count their limits, with the pace of the one that is running */
        get: operations["getUsageBlocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Rate limits as the agents recorded them last */
        get: operations["getUsageLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Questions that were put to the human, with the answers, in order of time */
        get: operations["getDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What ruled each turn: instructions, model, approval, sandbox, place */
        get: operations["getContext"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The balance: every record and every token has one owner */
        get: operations["getAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sources, versions, drift, what could not be read */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{source}/{session}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session to keep or to send: the canonical log, or a page of its own */
        get: operations["getSessionExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/report/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The report of a day to keep or to send */
        get: operations["getReportExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Changes as they happen, as server-sent events named `changes` */
        get: operations["getEvents"];
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
        AgentUsage: {
            source: string;
            breakdown?: {
                input_tokens: number;
                cached_input_tokens: number;
                cache_write_tokens: number;
                output_tokens: number;
                reasoning_tokens: number;
                /** @description What is known: with `unpriced_models`, what the other responses cost. Null where nothing is: no response has a price, or work was done and no usage stated. */
                cost_usd: number | null;
                unpriced_models: string[];
                models: string[];
                model: string;
            }[];
            input_tokens: number;
            cached_input_tokens: number;
            cache_write_tokens: number;
            output_tokens: number;
            reasoning_tokens: number;
            /** @description What is known: with `unpriced_models`, what the other responses cost. Null where nothing is: no response has a price, or work was done and no usage stated. */
            cost_usd: number | null;
            unpriced_models: string[];
            models: string[];
        };
        /** @description A question put to the human through a tool. */
        AskedQuestion: {
            question: string;
            answered: boolean;
            /**
             * @description How the call that put it ended: what is pending still waits, what was refused was an answer, what failed was never put.
             * @enum {unknown}
             */
            status: "ok" | "failed" | "interrupted" | "denied" | "pending";
            line: number;
        };
        AssistantFinishedBody: {
            /** @constant */
            type: "assistant_finished";
            native_turn_id?: string | null;
            message_id?: string | null;
            model?: string | null;
            text: string;
            finish_reason?: string | null;
            /** @description True on the record that ends the turn normally. */
            turn_ended?: boolean;
            duration_ms?: number | null;
            review?: components["schemas"]["Review"] | null;
            /** @description The provider's id of the request. */
            request_id?: string | null;
            /** @description What it cost, for writers that state it here instead of in a `usage` record. */
            usage?: components["schemas"]["ShortUsage"];
        };
        AssistantStartedBody: {
            /** @constant */
            type: "assistant_started";
            native_turn_id?: string | null;
            message_id?: string | null;
            model?: string | null;
        };
        /** @description Bytes that are part of a message and stand in a file of their own, named by its content. */
        Attachment: {
            /** @description SHA-256 of the bytes, in hexadecimal. */
            hash: string;
            /** @description As in `image/png`. */
            media_type: string;
            bytes: number;
            name?: string | null;
        };
        /** @description The balance: every record and every token has one owner. */
        Audit: {
            /** @constant */
            schema_version: 1;
            balanced: boolean;
            sessions: components["schemas"]["SessionAudit"][];
            totals: {
                sessions: number;
                files: number;
                records: components["schemas"]["RecordBalance"];
                tokens: components["schemas"]["TokenBalance"];
                /** @description Of the sessions whose agents state a total. */
                stated_total: number | null;
                difference: number | null;
            };
            /** @description Tokens per local day; their sum is the total. */
            days: {
                [key: string]: number;
            };
            problems: string[];
        };
        Balance: {
            /** @description Tokens of the listed turns, children included. */
            turn_tokens: number;
            /** @description Tokens spent in the span that no listed turn asked for. */
            other_tokens: number;
            total_tokens: number;
            /** @description Counted again, independently, the way `usage --by trigger` does. */
            usage_tokens: number;
            records_read: number | null;
            balanced: boolean | null;
            problems: string[] | null;
        };
        /** @description Stretches of hours as providers count their limits, in order of time; what lies between them is a gap. */
        BlockList: {
            blocks: components["schemas"]["UsageBlock"][];
        };
        /** @description Where the book is, and how much of the disk it takes. */
        BookHealth: {
            path: string;
            /** @description Files of sessions it holds. */
            pages: number;
            bytes: number;
            /** @description Of the index, which may be deleted at any time. */
            index_bytes: number;
            /** @description Sessions that were taken out of it. */
            forgotten: number;
        };
        BurnRate: {
            tokens_per_minute: number;
            /** @description Without what is read from and written to caches. */
            fresh_tokens_per_minute: number;
            cost_usd_per_hour: number | null;
        };
        /** @description Work that was stopped, or turns that were taken back. */
        CancelledBody: {
            /** @constant */
            type: "cancelled";
            /** @enum {unknown} */
            reason: "unknown" | "rolled_back" | "rewound" | "interrupted" | "replaced" | "review_ended" | "budget_limited";
            native_turn_id?: string | null;
            duration_ms?: number | null;
            /** @description `rolled_back`: how many turns, counted from the newest. */
            turns?: number;
            /** @description `rewound`: every turn whose trigger stands at or after this native line. */
            from_line?: number;
            /** @description The same by the log's own count: at or after this `seq`. */
            from_seq?: number;
            /** @description The same by name: this turn and every later one. */
            from_turn?: string;
        };
        /** @description Sent as server-sent event `changes`: of these sessions answers are different. */
        ChangeEvent: {
            sessions: {
                source: string;
                session_id: string;
            }[];
            /** @description What the sync that found them read; null where another process did. */
            files_read: number | null;
        };
        /** @description A file that turns changed. */
        ChangedFile: {
            path: string;
            /** @description Of the turn that changed it last. */
            project: string;
            turns: number;
            last_time: string | null;
        };
        /** @description A run of tests, a build, a linter: what says whether work holds. */
        CheckRun: {
            /** @description Null where a store does not hold it. */
            command: string | null;
            /** @enum {unknown} */
            result: "ok" | "failed" | "interrupted" | "timed_out";
            line: number;
        };
        /** @description A session that a turn caused. */
        Child: {
            source: string;
            session_id: string;
            /** @enum {unknown} */
            relation: "subagent" | "companion" | "review" | "fork";
            role: string | null;
            spawn_line: number | null;
            result_line: number | null;
        };
        /** @description A session caused by this one. `spawned` when it began, `returned` when its result came back. */
        ChildLinkedBody: {
            /** @constant */
            type: "child_linked";
            child: components["schemas"]["SessionRef"];
            /** @enum {unknown} */
            relation: "subagent" | "companion" | "review" | "fork";
            /** @enum {unknown} */
            phase: "spawned" | "returned";
            role?: string | null;
            call_id?: string | null;
        };
        /** @description Tool calls of one kind: those that ran one program, or those of one tool. */
        CommandCount: {
            /** @description The tool that was called; of those that ran the command the first by name. Null where a store does not hold it. */
            tool: string | null;
            /** @description The program that was run, with its subcommand; null where the calls run none. */
            command: string | null;
            calls: number;
            /** @description Without exit codes that are ordinary answers. */
            failed: number;
            denied: number;
            /** @description Of those calls of which it is known. */
            duration_ms: number;
            longest_ms: number;
        };
        /** @description Tool calls counted by what was run. */
        CommandCounts: {
            commands: components["schemas"]["CommandCount"][];
        };
        CompactedBody: {
            /** @constant */
            type: "compacted";
            /** @enum {unknown} */
            trigger: "unknown" | "manual" | "auto";
            summary?: string | null;
            /** @description Messages of the user that were kept word for word and stand nowhere else in the file. */
            retained?: string[];
        };
        /** @description What ruled one turn, and what changed with or inside it. */
        Context: {
            source: string;
            session_id: string;
            session_path: string;
            project: string;
            project_key: string;
            turn_ref: string;
            time: string | null;
            start_line: number;
            end_line: number;
            /** @description Instruction files loaded so far in the session. */
            instructions: components["schemas"]["ContextSource"][];
            /** @description Empty where everything stayed as in the turn before. */
            changes: components["schemas"]["ContextShift"][];
            /** @description The session's first turn: where its settings begin. */
            first: boolean;
            model: string | null;
            effort: string | null;
            approval_policy: string | null;
            sandbox: string | null;
            network: boolean | null;
            /** @description Places the sandbox keeps closed although it would leave them open by itself. */
            sandbox_excludes: string[] | null;
            reasoning_summary: string | null;
            /** @description Tokens that fit into the model's context. */
            context_window: number | null;
            cwd: string | null;
            git_branch: string | null;
            git_commit: string | null;
            agent_version: string | null;
        };
        /** @description What ruled the work from here on. Absent fields are unchanged. */
        ContextBody: {
            /** @constant */
            type: "context";
            native_turn_id?: string | null;
            model?: string | null;
            effort?: string | null;
            approval_policy?: string | null;
            sandbox?: string | null;
            network?: boolean | null;
            /** @description Places that the sandbox keeps closed although it would leave them open by itself, in the agent's words. */
            sandbox_excludes?: string[] | null;
            /** @description How the model's reasoning is summarised. */
            reasoning_summary?: string | null;
            /** @description Tokens that fit into the model's context. */
            context_window?: number | null;
            cwd?: string | null;
            git?: components["schemas"]["GitState"] | null;
            agent_version?: string | null;
            sources?: components["schemas"]["ContextSource"][];
            rate_limits?: components["schemas"]["RateLimits"] | null;
        };
        ContextList: {
            context: components["schemas"]["Context"][];
        };
        /** @description One thing that ruled the work and became another, with the line that says so. */
        ContextShift: {
            /** @enum {unknown} */
            field: "model" | "effort" | "approval_policy" | "sandbox" | "network" | "sandbox_excludes" | "reasoning_summary" | "context_window" | "cwd" | "git_branch" | "git_commit" | "agent_version" | "instructions";
            from: string;
            to: string;
            line: number;
            time: string | null;
        };
        /** @description A text that told the model how to work: the agent's own prompt (`base`), a file of instructions, a message of the client. A later one of the same kind and path takes its place; of the kind `message` several stand side by side. */
        ContextSource: {
            kind: string;
            path: string | null;
            /** @description SHA-256 of the text as the model got it; null when the text is not recorded. */
            hash: string | null;
            /** @description The model got less than there was, or what it got was cut when it was recorded. */
            truncated: boolean;
            /** @description What it applies to, in the writer's words: the user, the project, a directory. */
            scope?: string | null;
            /** @description Why it could not be loaded, where it could not. */
            error?: string | null;
        };
        /** @description What the book has lost of one native file. */
        DamagedPage: {
            page: string;
            /** @description Null where the page cannot even say whose it is. */
            source: string | null;
            session_id: string | null;
            path: string | null;
            /** @description Lines of the file that cannot be read any more, as first and last. */
            lines: [
                number,
                number
            ][];
            /** @description Written by a later version, and left alone. */
            newer: boolean;
        };
        /** @description One day of work. */
        Day: {
            day: string;
            turns: number;
            tokens: number;
            cost_usd: number | null;
        };
        Days: {
            days: components["schemas"]["Day"][];
            /** @description What a day with work usually costs: the middle of the last 28 before today; null where there were fewer than three. */
            usual_cost_usd: number | null;
        };
        /** @description Turns, those that cost most first. */
        DearestTurns: {
            turns: components["schemas"]["Turn"][];
        };
        /** @description A question put to the human. */
        Decision: {
            id: string | null;
            question_id: string | null;
            title: string | null;
            options: components["schemas"]["DecisionOption"][] | null;
            /** @description Only from a store: what did not leave the machine it is on. */
            not_pushed?: components["schemas"]["NotPushed"];
            /**
             * @description How it was found: a tool call of the agent, a brief with a marker, a brief by its form.
             * @enum {unknown}
             */
            tier: "structured" | "marker" | "pattern";
            recommended: string | null;
            /** @description Label of the option taken; several are joined by ", ". */
            choice: string | null;
            free_text: string | null;
            answered: boolean;
            /** @description Null while unanswered, without a recommendation, and when the answer names no option. */
            followed_recommendation: boolean | null;
            asked_line: number | null;
            answered_line: number | null;
            source: string;
            session_id: string;
            turn_ref: string | null;
            project: string;
            time: string | null;
        };
        DecisionList: {
            decisions: components["schemas"]["Decision"][];
        };
        DecisionOption: {
            letter: string;
            label: string;
            recommended: boolean;
        };
        /** @description A problem in the data: a value, counted and shown, never thrown. */
        Diagnostic: {
            /** @enum {unknown} */
            code: "root_missing" | "root_unreadable" | "file_unreadable" | "file_duplicate" | "file_foreign" | "file_pointer" | "database_refused" | "page_damaged" | "line_corrupt" | "line_torn" | "line_shrunk" | "line_invalid_utf8" | "number_impossible" | "record_unknown" | "header_missing" | "time_invalid" | "lineage_missing" | "lineage_cycle";
            source: string;
            path: string;
            line?: number;
            message: string;
            hint?: string;
        };
        Doctor: {
            /** @description Null where none is kept. */
            book: components["schemas"]["BookHealth"] | null;
            /** @description Only with `--verify` or `--repair`. */
            damaged_pages?: components["schemas"]["DamagedPage"][];
            /** @constant */
            schema_version: 1;
            sources: components["schemas"]["SourceHealth"][];
            healthy: boolean;
        };
        Drift: {
            /** @description Agent versions met, with the number of records written under each. */
            versions: {
                [key: string]: number;
            };
            /** @description `version · native type` of records we do not know. */
            unknownTypes: {
                [key: string]: number;
            };
            /** @description `version · native type · field` of fields we do not know. */
            unknownFields: {
                [key: string]: number;
            };
        };
        ExplainAnswer: {
            explanations: components["schemas"]["Explanation"][];
            /** @constant */
            schema_version: 1;
        };
        Explanation: {
            source: string;
            session_id: string;
            session_path: string;
            line: number;
            native: string;
            /** @enum {unknown} */
            class: "unknown" | "trigger" | "echo" | "setup" | "reaction" | "early" | "session" | "inherited" | "duplicate" | "corrupt";
            reason: string;
            time: string | null;
            /** @description The turn that owns the record. */
            turn_ref: string | null;
            /** @description For setup: the turn it prepared. */
            prepares: string | null;
            tentative: boolean;
            records: components["schemas"]["RecordBody"][];
            /** @description The beginning of the native line; of a row in a store its table, its key and its document. Empty when it is gone. */
            excerpt: string;
        };
        FailedBody: {
            /** @constant */
            type: "failed";
            message: string;
            code?: string | null;
            native_turn_id?: string | null;
            /** @description False when the agent went on by itself (a retried request). */
            turn_ended: boolean;
        };
        /** @description Which turns changed one file, in order of time. */
        FileHistory: {
            path: string;
            /** @description Every path it had, the one that was asked for first. */
            names: string[];
            turns: components["schemas"]["Turn"][];
        };
        /** @description Files that turns changed. */
        FileList: {
            files: components["schemas"]["ChangedFile"][];
            /** @description How many there are in all. */
            total: number;
            next_cursor: string | null;
        };
        GitState: {
            commit?: string | null;
            branch?: string | null;
            remote?: string | null;
            /** @description Commit an agent made aside to be able to undo. */
            ghost_commit?: string | null;
            /** @description What stood there when it was made: the commit below it, and what git did not know of. */
            ghost_parent?: string | null;
            untracked_files?: string[];
            untracked_dirs?: string[];
        };
        InstructionPlace: {
            source: string;
            session_id: string;
            line: number;
            time: string | null;
        };
        /** @description One text that sessions were given, and when. */
        InstructionPlaces: {
            /** @description SHA-256 of the text. */
            hash: string;
            /** @description What part they played, and the file they stood in where that is known. */
            kind: string;
            path: string | null;
            /** @description How many of the sessions asked about were given them. */
            sessions: number;
            first: components["schemas"]["InstructionPlace"];
            last: components["schemas"]["InstructionPlace"];
        };
        /** @description A word a person put on a session or a turn, perhaps with a value: `ticket=ABC-1`, `flaky`. */
        Label: {
            key: string;
            /** @description Null for a plain word. */
            value: string | null;
        };
        /** @description A label, and how much it is on. */
        LabelCount: {
            sessions: number;
            turns: number;
            key: string;
            /** @description Null for a plain word. */
            value: string | null;
        };
        LabelList: {
            labels: components["schemas"]["LabelCount"][];
        };
        LimitList: {
            limits: components["schemas"]["RateLimit"][];
        };
        LimitStatus: {
            tokens: number;
            projected_percent: number;
            /** @enum {unknown} */
            status: "ok" | "warning" | "exceeds";
        };
        /** One line of a Daybook canonical session log */
        LogRecord: components["schemas"]["session_meta"] | components["schemas"]["context"] | components["schemas"]["user"] | components["schemas"]["assistant_started"] | components["schemas"]["assistant_finished"] | components["schemas"]["reasoning_finished"] | components["schemas"]["tool_started"] | components["schemas"]["tool_finished"] | components["schemas"]["usage"] | components["schemas"]["usage_total"] | components["schemas"]["compacted"] | components["schemas"]["child_linked"] | components["schemas"]["cancelled"] | components["schemas"]["failed"] | components["schemas"]["session_renamed"] | components["schemas"]["session_archived"] | components["schemas"]["unknown"] | components["schemas"]["unreadable"];
        LooseEnd: {
            /** @enum {unknown} */
            kind: "aborted" | "failed" | "open" | "request" | "unanswered_question" | "open_todos" | "unfinished" | "promise";
            project: string;
            /** @description Of the turn that left it, by the report's zone; a citation of an earlier day is numbered as in that day's report. */
            day: string;
            time: string;
            citation: string;
            source: string;
            session_id: string;
            turn_ref: string;
            /** @description What is loose, in the words of whoever said it; for a turn that did not finish, why. */
            text: string;
            /** @description What the human had asked for. */
            asked: string;
        };
        /** @description What a person put on a session or a turn. It belongs to its id: no fork, copy or sub-agent inherits it. */
        Marks: {
            starred: boolean;
            /** @description By key, each once. */
            labels: components["schemas"]["Label"][];
            /** @description The oldest first. */
            notes: components["schemas"]["Note"][];
        };
        ModelTokens: {
            /** @description Null in a count that knows no models. */
            model: string | null;
            /** @description Fresh input only: no cache reads, no cache writes. */
            input_tokens: number;
            cached_input_tokens: number;
            cache_write_tokens: number;
            /** @description Part of `cache_write_tokens` kept for an hour, priced apart. */
            cache_write_1h_tokens: number;
            /** @description Includes reasoning. */
            output_tokens: number;
            reasoning_tokens: number;
        };
        /** @description Why fields of an answer from a store are null: they did not leave the machine they are on. */
        NotPushed: {
            /**
             * @description What was pushed, or as much as is left of it.
             * @enum {unknown}
             */
            level: "totals" | "turns" | "full";
            /** @description Where it was pushed, and was removed because it was old; or where that may be so. */
            removed_before?: components["schemas"]["RemovedDays"];
            /** @description Those of which nothing is known: null, or by a name that only the store has for it. */
            fields: string[];
        };
        /** @description What a person wrote down about a session or a turn. */
        Note: {
            /** @description By which it is taken off again. */
            id: string;
            text: string;
            time: string;
        };
        /** @description What is at work, and what waits for the human, now. */
        Now: {
            running: components["schemas"]["SessionCard"][];
            /** @description Left by today's turns, and still loose; what is still at work is none. */
            waiting: components["schemas"]["LooseEnd"][] | null;
            /** @description Left up to four weeks before today, and still loose. */
            waiting_longer: components["schemas"]["LooseEnd"][] | null;
        };
        /** @description What is here, and what the page needs before anything is asked. */
        Overview: {
            version: string;
            /** @description By the zone in which days are counted. */
            today: string;
            timezone: string;
            /** @description The day a page of what happened opens on: today; the last day of the bundled samples where they are shown. */
            opens_on: string;
            /** @description The bundled samples are shown, because nothing else was found or because they were asked for. */
            sample: boolean;
            sessions: number;
            sources: string[];
            projects: components["schemas"]["ProjectCard"][];
            /** @description A sync is under way. */
            syncing: boolean;
        };
        /** @description A decision and where it stands in the report. */
        PlacedDecision: {
            citation: string;
            turn_ref: string;
            id: string | null;
            question_id: string | null;
            title: string | null;
            options: components["schemas"]["DecisionOption"][] | null;
            /** @description Only from a store: what did not leave the machine it is on. */
            not_pushed?: components["schemas"]["NotPushed"];
            /**
             * @description How it was found: a tool call of the agent, a brief with a marker, a brief by its form.
             * @enum {unknown}
             */
            tier: "structured" | "marker" | "pattern";
            recommended: string | null;
            /** @description Label of the option taken; several are joined by ", ". */
            choice: string | null;
            free_text: string | null;
            answered: boolean;
            /** @description Null while unanswered, without a recommendation, and when the answer names no option. */
            followed_recommendation: boolean | null;
            asked_line: number | null;
            answered_line: number | null;
            source: string;
            session_id: string;
            project: string;
            time: string | null;
        };
        /** @description A place that was looked at. */
        Probed: {
            path: string;
            /** @enum {unknown} */
            verdict: "found" | "empty" | "missing";
            files: number;
        };
        /** @description An error, as RFC 9457 has it. */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description What can be done about it. */
            hint: string | null;
        };
        ProjectCard: {
            project: string;
            sessions: number;
            turns: number;
            last_time: string | null;
        };
        ProjectReport: {
            project: string;
            /** @description One per directory: worktrees and clones stand together. */
            project_keys: string[];
            cwds: string[] | null;
            sessions: components["schemas"]["ReportSession"][];
            turns: components["schemas"]["ReportTurn"][];
            items: components["schemas"]["ReportItem"][] | null;
            totals: components["schemas"]["Totals"];
            /** @description Spent in the span, but asked for by no turn of it. */
            other_usage: components["schemas"]["Usage"];
        };
        Projection: {
            total_tokens: number;
            cost_usd: number | null;
            remaining_minutes: number;
        };
        /** @description A prompt the agent's own input history remembers. */
        PromptWitness: {
            source: string;
            path: string;
            line: number;
            sessionId: string | null;
            time: number | null;
            text: string;
            cwd: string | null;
        };
        RateLimit: {
            source: string;
            limit_id: string;
            plan: string | null;
            recorded_at: string | null;
            session_id: string;
            line: number;
            primary: components["schemas"]["RateLimitWindow"] | null;
            secondary: components["schemas"]["RateLimitWindow"] | null;
            credits: {
                has_credits: boolean;
                unlimited: boolean;
                balance: string | null;
            } | null;
        };
        RateLimitWindow: {
            used_percent: number;
            window_minutes: number | null;
            resets_at: string | null;
        };
        RateLimits: {
            limit_id?: string | null;
            plan?: string | null;
            primary?: components["schemas"]["RateLimitWindow"] | null;
            secondary?: components["schemas"]["RateLimitWindow"] | null;
            credits?: {
                has_credits: boolean;
                unlimited: boolean;
                balance: string | null;
            } | null;
        };
        ReasoningFinishedBody: {
            /** @constant */
            type: "reasoning_finished";
            text: string;
        };
        /** @description records_read = the sum of the rest. */
        RecordBalance: {
            records_read: number;
            owned_by_turns: number;
            setup: number;
            session_level: number;
            inherited: number;
            duplicates: number;
            unknown: number;
            corrupt: number;
            /** @description `class · reason` → how many. */
            reasons: {
                [key: string]: number;
            };
        };
        RecordBody: components["schemas"]["SessionMetaBody"] | components["schemas"]["ContextBody"] | components["schemas"]["UserBody"] | components["schemas"]["AssistantStartedBody"] | components["schemas"]["AssistantFinishedBody"] | components["schemas"]["ReasoningFinishedBody"] | components["schemas"]["ToolStartedBody"] | components["schemas"]["ToolFinishedBody"] | components["schemas"]["UsageBody"] | components["schemas"]["UsageTotalBody"] | components["schemas"]["CompactedBody"] | components["schemas"]["ChildLinkedBody"] | components["schemas"]["CancelledBody"] | components["schemas"]["FailedBody"] | components["schemas"]["SessionRenamedBody"] | components["schemas"]["SessionArchivedBody"] | components["schemas"]["UnknownBody"] | components["schemas"]["UnreadableBody"];
        /** @description Records of a session in order, in the form of the canonical log. */
        RecordPage: {
            records: components["schemas"]["LogRecord"][];
            /** @description The turn whose records were asked for; null where none was named. */
            turn: components["schemas"]["Turn"] | null;
            /** @description Answers come from a store: records stay on the machine that pushed, and only what is said of the turn is here. */
            are_elsewhere: boolean;
            /** @description How many there are in all. */
            total: number;
            next_cursor: string | null;
        };
        /** @description The first days of which everything is still in a store; null where nothing is ever removed. */
        RemovedDays: {
            /** @description Requests, replies, titles, paths, what calls were given and gave back. */
            texts: string | null;
            /** @description Calls, and responses one by one. */
            calls: string | null;
            turns: string | null;
        };
        /** @description A day, or any span of days. */
        Report: {
            /** @constant */
            schema_version: 1;
            span: components["schemas"]["Span"];
            totals: components["schemas"]["Totals"];
            /** @description Of a span of several days: every day of it that has begun. They add up to the totals. Empty for one day. */
            days: components["schemas"]["ReportDay"][];
            /** @description The days before a span of several, as many as have begun of it, to compare with; null for one day. */
            before: components["schemas"]["SumsBefore"] | null;
            balance: components["schemas"]["Balance"];
            projects: components["schemas"]["ProjectReport"][];
            /** @description Questions put to the human by the listed turns, with the answers. */
            decisions: components["schemas"]["PlacedDecision"][];
            /** @description Left by the listed turns, and still loose at the end of the span. */
            loose_ends: components["schemas"]["LooseEnd"][] | null;
            /** @description Left before the span, up to four weeks earlier, and still loose at its end. */
            carried_over: components["schemas"]["LooseEnd"][] | null;
            changes: components["schemas"]["ReportChange"][] | null;
            diagnostics: components["schemas"]["ReportDiagnostic"][];
            /** @description Only from a store: what did not leave the machine it is on. Lists that are not null say what is known of the rest. */
            not_pushed?: components["schemas"]["NotPushed"];
        };
        ReportChange: {
            project: string;
            time: string | null;
            citation: string;
            source: string;
            session_id: string;
            turn_ref: string;
            field: string;
            from: string;
            to: string;
        };
        ReportChild: {
            source: string;
            session_id: string;
            /** @enum {unknown} */
            relation: "subagent" | "companion" | "review" | "fork";
            role: string | null;
            model: string | null;
            tools: components["schemas"]["ReportTools"];
            usage: components["schemas"]["Usage"];
            spawn_line: number | null;
            result_line: number | null;
            /** @description Its own file was read. */
            found: boolean;
        };
        ReportCommit: {
            by: string | null;
            /** @description As git printed it, mostly shortened; null where nothing ever printed it. */
            hash: string | null;
            branch: string | null;
            subject: string | null;
            amended: boolean;
            line: number;
        };
        ReportDay: {
            day: string;
            turns: number;
            duration_ms: number;
            commits: number | null;
            usage: components["schemas"]["Usage"];
        };
        ReportDiagnostic: {
            code: string;
            message: string;
            path: string | null;
            line: number | null;
            count: number;
        };
        ReportFile: {
            path: string;
            /** @enum {unknown} */
            operation: "created" | "modified" | "deleted" | "renamed";
            line: number | null;
            /** @description The sub-agent's session that changed it; null = the turn itself. */
            by: string | null;
        };
        /** @description Turns that belong together, with what came of them: a request and its follow-ups, in whatever session. */
        ReportItem: {
            /** @description The first request, in one line. */
            asked: string;
            /** @description What came of it, in the words of the answers that say most, in order, at most three of them; none where nothing was said. */
            results: {
                text: string;
                citation: string;
            }[];
            /**
             * @description Of the last turn that was not taken back.
             * @enum {unknown}
             */
            outcome: "completed" | "aborted" | "failed" | "open";
            /** @description It ended well by the agent's word alone. */
            unproven: boolean;
            /** @description Citations of its turns, in order. Every turn of a project is in one of its items. */
            turns: string[];
        };
        ReportSession: {
            session_ref: string;
            source: string;
            session_id: string;
            session_path: string | null;
            title: string | null;
            agent_version: string | null;
            turns: number;
            /** @description What a person put on the session itself; null where there is nothing. */
            marks: components["schemas"]["Marks"] | null;
        };
        ReportTools: {
            /** @description Exit codes that are ordinary answers, such as a search without a hit: left out of `failed`. */
            expected_exit: number;
            total: number;
            ok: number;
            failed: number;
            interrupted: number;
            denied: number;
            pending: number;
        };
        ReportTurn: {
            /** @description `S0001/T0002:12-40`, unique within the project. */
            citation: string;
            session_ref: string;
            turn_ref: string;
            source: string;
            session_id: string;
            session_path: string | null;
            native_turn_id: string | null;
            cwd: string | null;
            time: string;
            /** @description On the wall clock of the report's zone, `YYYY-MM-DD HH:MM:SS`. */
            local_time: string;
            ended_at: string | null;
            duration_ms: number | null;
            trigger: {
                text: string | null;
                /** @enum {unknown} */
                kind: "prompt" | "command" | "shell" | "queued" | "answer";
                /** @enum {unknown} */
                entry: "interactive" | "headless" | "sdk" | "ide" | "automated" | "unknown" | null;
                reason: string | null;
                attachments: number | null;
                line: number | null;
                echo_line: number | null;
            };
            /** @enum {unknown} */
            outcome: "completed" | "aborted" | "failed" | "open";
            outcome_detail: string | null;
            /** @enum {unknown} */
            taken_back: "rolled_back" | "rewound" | null;
            model: string | null;
            tools: components["schemas"]["ReportTools"];
            /** @description Calls that did not end well, named. */
            tool_problems: components["schemas"]["ToolProblem"][];
            files: components["schemas"]["ReportFile"][] | null;
            commits: components["schemas"]["ReportCommit"][] | null;
            /** @description The last run of tests, a build or a linter: a turn that ended with a failed one is no success. */
            last_check: components["schemas"]["CheckRun"] | null;
            /** @description The words by which the agent says that what was asked for did not work, where the last thing it did failed. */
            fell_short: string | null;
            questions: components["schemas"]["AskedQuestion"][] | null;
            todos: components["schemas"]["TodoList"] | null;
            children: components["schemas"]["ReportChild"][] | null;
            last_words: components["schemas"]["Words"] | null;
            /** @description What came of it: the first sentence of the answer that says something; of a turn that was stopped, that it was. */
            result: components["schemas"]["Words"] | null;
            /** @description Of the turn itself. */
            usage: components["schemas"]["Usage"];
            /** @description With everything the turn caused; these add up to the totals. */
            usage_with_children: components["schemas"]["Usage"];
            /** @description What a person put on the turn or on its session; null where there is nothing. */
            marks: components["schemas"]["Marks"] | null;
        };
        Review: {
            findings: components["schemas"]["ReviewFinding"][];
            overall_correctness: string | null;
            overall_explanation: string | null;
            overall_confidence?: number | null;
        };
        ReviewFinding: {
            title: string | null;
            body: string | null;
            priority: number | null;
            severity?: string | null;
            confidence: number | null;
            path: string | null;
            start_line: number | null;
            end_line: number | null;
        };
        SearchHit: {
            source: string;
            session_id: string;
            session_path: string;
            project: string;
            turn_ref: string | null;
            /** @description Null of notes and labels: they stand in no file of the agent. */
            line: number | null;
            /** @enum {unknown} */
            kind: "instructions" | "prompt" | "reply" | "summary" | "error" | "input" | "reasoning" | "output" | "injected" | "note";
            time: string | null;
            /** @description Higher is better; 0 where the words stand in several records of the turn, of which this is one. */
            score: number;
            /** @description What a person put on the turn or its session; null where there is nothing. */
            marks: components["schemas"]["Marks"] | null;
            /** @description Of instructions: the result itself says where they came into force last. */
            instructions?: components["schemas"]["InstructionPlaces"];
            /** @description The words around the first match; `matches` are offsets into it. */
            snippet: string;
            matches: [
                number,
                number
            ][];
        };
        SearchHits: {
            hits: components["schemas"]["SearchHit"][];
            /** @description The sessions they stand in. */
            sessions: components["schemas"]["SessionName"][];
            /** @description Only from a store: kinds of texts of which it does not have all. */
            not_pushed?: components["schemas"]["NotPushed"];
        };
        /** @description The session was put away, or taken out again. The latest holds. */
        SessionArchivedBody: {
            /** @constant */
            type: "session_archived";
            archived: boolean;
        };
        SessionAudit: {
            source: string;
            session_id: string;
            session_paths: string[];
            records: components["schemas"]["RecordBalance"];
            tokens: components["schemas"]["TokenBalance"];
            /** @description Tokens by owner: the human turns of this session, turns of other sessions that caused it, nobody. */
            owners: {
                own_turns: number;
                causing_turns: number;
                unowned: number;
            };
            /** @description Why tokens are nobody's: rule → tokens. */
            unowned_reasons: {
                [key: string]: number;
            };
            /** @description The total the agent itself states last; null when it states none. */
            stated_total: number | null;
            /** @description What was counted up to that statement, less the statement; null when there is none. */
            difference: number | null;
            balanced: boolean;
            /** @description What does not add up, in words. */
            problems: string[];
        };
        /** @description A session as a list shows it. */
        SessionCard: {
            /** @description What its human asked first, in one line. */
            first_request: string | null;
            /**
             * @description How its last turn ended.
             * @enum {unknown}
             */
            outcome: "completed" | "aborted" | "failed" | "open" | null;
            /** @description Its last turn is open and its file grew within the last minutes. */
            running: boolean;
            source: string;
            session_id: string;
            session_path: string | null;
            /** @description Every file of the session, oldest first. */
            session_paths: string[] | null;
            project: string;
            project_key: string;
            cwd: string | null;
            /** @description Given by its human or its agent; else the first request that says something. */
            title: string | null;
            /** @enum {unknown} */
            title_source: "human" | "agent" | "request" | "no_request" | "nothing_said" | null;
            started_at: string | null;
            ended_at: string | null;
            models: string[];
            agent_version: string | null;
            /** @enum {unknown} */
            kind: "subagent" | "companion" | "review" | "root" | "internal";
            role: string | null;
            parent: components["schemas"]["SessionRef"] | null;
            /** @description The turn of the parent that caused it. */
            parent_turn: string | null;
            forked_from: string | null;
            turns: number;
            usage: components["schemas"]["Usage"];
            tools: components["schemas"]["ToolCounts"];
            diagnostics: {
                corrupt_lines: number;
                unknown_records: number;
                duplicate_records: number;
                inherited_records: number;
                untimed_records: number;
                backward_times: number;
            } | null;
            /** @description What a person put on it or on its turns; null where there is nothing. */
            marks: components["schemas"]["SessionMarks"] | null;
            /** @description Only from a store: what did not leave the machine it is on. */
            not_pushed?: components["schemas"]["NotPushed"];
        };
        /** @description One session with all its turns: what was asked, and what came of it. */
        SessionDetail: {
            session: components["schemas"]["SessionCard"];
            turns: components["schemas"]["Turn"][];
            /** @description Sessions that its turns caused. */
            children: components["schemas"]["SessionCard"][];
            /** @description What a human types to take it up again; null where that is not known. */
            resume: string | null;
        };
        /** @description What people put on a session and its turns. */
        SessionMarked: {
            /** @description Null where there is nothing. */
            marks: components["schemas"]["SessionMarks"] | null;
        };
        /** @description The same of a session, with those of its turns. */
        SessionMarks: {
            turns: components["schemas"]["TurnMarks"][];
            starred: boolean;
            /** @description By key, each once. */
            labels: components["schemas"]["Label"][];
            /** @description The oldest first. */
            notes: components["schemas"]["Note"][];
        };
        /** @description First record of a log; repeated when the agent repeats or changes its header. Later values win, absent ones keep. */
        SessionMetaBody: {
            /** @constant */
            type: "session_meta";
            source: string;
            /** @enum {unknown} */
            kind: "subagent" | "companion" | "review" | "root" | "internal";
            cwd: string | null;
            started_at: string | null;
            agent_version: string | null;
            originator?: string | null;
            provider?: string | null;
            model?: string | null;
            title?: string | null;
            parent?: components["schemas"]["SessionRef"] | null;
            /** @description Native id of the parent's turn that caused this session, where the agent records it. */
            parent_turn_id?: string | null;
            role?: string | null;
            forked_from?: string | null;
            /** @description The last `seq` of the log it was forked from that is part of its history; absent where the history was copied. */
            forked_at?: number;
            /** @description The session all of this was made of, by an export for example: where that one is read too, this one counts nothing. */
            copy_of?: components["schemas"]["SessionRef"] | null;
            git?: components["schemas"]["GitState"] | null;
            /** @description False when nothing in the file says any of this: it has no header. */
            stated?: boolean;
        };
        /** @description What a session is called: its title, or what was asked first. */
        SessionName: {
            source: string;
            session_id: string;
            title: string | null;
            first_request: string | null;
        };
        SessionPage: {
            sessions: components["schemas"]["SessionCard"][];
            /** @description How many there are in all. */
            total: number;
            next_cursor: string | null;
        };
        SessionRef: {
            source: string;
            session_id: string;
        };
        SessionRenamedBody: {
            /** @constant */
            type: "session_renamed";
            title: string | null;
            /**
             * @description Who chose it; a human's title beats a generated one, the latest of equal rank wins.
             * @enum {unknown}
             */
            by: "human" | "agent";
        };
        /** @description One session with all its turns in few words: what a reader needs before any of them is read. */
        SessionRequests: {
            session: components["schemas"]["SessionCard"];
            turns: components["schemas"]["TurnBrief"][];
            /** @description Sessions that its turns caused. */
            children: components["schemas"]["SessionCard"][];
            /** @description What a human types to take it up again; null where that is not known. */
            resume: string | null;
        };
        /** @description Tokens as a writer may state them in short. What is absent is none; `input` is fresh input alone. */
        ShortUsage: {
            input?: number;
            cached_input?: number;
            cache_write?: number;
            output?: number;
            reasoning?: number;
        };
        SourceHealth: {
            source: string;
            name: string;
            places: components["schemas"]["Probed"][];
            files: number;
            bytes: number;
            sessions: number;
            /** @enum {unknown} */
            verdict: "ok" | "empty" | "trouble";
            drift: components["schemas"]["Drift"];
            /** @description Versions met that are newer than any whose files were checked. */
            newer_versions: string[];
            corrupt_lines: number;
            unknown_records: number;
            /** @description Prompts the agent's input history remembers, and those whose transcript is gone. */
            history: {
                prompts: number;
                without_transcript: components["schemas"]["PromptWitness"][];
            };
            /** @description Files the agent will delete within a week, by its own rule. */
            retention: {
                days: number | null;
                at_risk: {
                    path: string;
                    days_left: number;
                }[];
            };
            /** @description Sessions whose files the agent has deleted: the book alone has them. */
            only_in_book: string[];
            problems: components["schemas"]["Diagnostic"][];
            /** @description What nobody can tell from this agent's files. */
            unknowable: string[];
        };
        /** @description What a report covers: whole local days by the wall clock of one zone, half-open in instants. */
        Span: {
            /** @enum {unknown} */
            kind: "day" | "week" | "range";
            since: string;
            /** @description Inclusive. */
            until: string;
            timezone: string;
            start: string;
            end: string;
            /** @description 23, 24.5 and 25 are real days. */
            hours: number;
            /**
             * @description Partial while the span is not over: more may come.
             * @enum {unknown}
             */
            status: "partial" | "final";
        };
        SumsBefore: {
            since: string;
            until: string;
            turns: number;
            duration_ms: number;
            commits: number | null;
            usage: components["schemas"]["Usage"];
        };
        SyncDone: {
            files_seen: number;
            files_read: number;
            entries: number;
        };
        TodoItem: {
            text: string;
            /** @enum {unknown} */
            status: "completed" | "pending" | "in_progress";
        };
        /** @description A list of steps the agent keeps for itself: plans, todos, tasks. */
        TodoList: {
            items: components["schemas"]["TodoItem"][];
            line: number;
        };
        /** @description tokens_read = counted + duplicates + inherited + estimates. A statement's tokens: input, cache reads, cache writes and output. */
        TokenBalance: {
            tokens_read: number;
            counted: number;
            duplicates: number;
            inherited: number;
            estimates: number;
        };
        Tokens: {
            /** @description Fresh input only: no cache reads, no cache writes. */
            input_tokens: number;
            cached_input_tokens: number;
            cache_write_tokens: number;
            /** @description Part of `cache_write_tokens` kept for an hour, priced apart. */
            cache_write_1h_tokens: number;
            /** @description Includes reasoning. */
            output_tokens: number;
            reasoning_tokens: number;
        };
        ToolCall: {
            source: string;
            session_id: string;
            session_path: string | null;
            turn_ref: string | null;
            call_id: string | null;
            parent_call_id: string | null;
            name: string | null;
            input: unknown;
            /** @enum {unknown} */
            status: "ok" | "failed" | "interrupted" | "denied" | "pending";
            exit_code: number | null;
            /**
             * @description Only where it is true: the exit code is an ordinary answer, such as a search without a hit (`docs/report.md`).
             * @constant
             */
            expected_exit?: true;
            duration_ms: number | null;
            started_at: string | null;
            start_line: number | null;
            end_line: number | null;
            error: string | null;
            /** @description Rules of `docs/risk.md` that mark it. */
            risks: ("delete_outside" | "force_push" | "force_push_lease" | "credentials" | "network_install")[] | null;
            /** @description Only from a store: what did not leave the machine it is on. */
            not_pushed?: components["schemas"]["NotPushed"];
        };
        ToolCounts: {
            total: number;
            ok: number;
            failed: number;
            interrupted: number;
            denied: number;
            pending: number;
        };
        /** @description How a call ended. May come again for the same call: the latest wins. */
        ToolFinishedBody: {
            /** @constant */
            type: "tool_finished";
            call_id: string;
            /** @enum {unknown} */
            status: "ok" | "failed" | "interrupted" | "denied" | "pending";
            exit_code: number | null;
            duration_ms: number | null;
            /** @description Text of the result, possibly cut; `truncated` says so. */
            output?: string | null;
            /** @description The result as data; `output` is its text. */
            structured?: unknown;
            truncated?: boolean;
            /** @description The call was never run, and nobody refused it. */
            skipped?: boolean;
            attached?: components["schemas"]["Attachment"][];
            error?: string | null;
            files?: components["schemas"]["TouchedFile"][];
        };
        ToolPage: {
            tools: components["schemas"]["ToolCall"][];
            /** @description How many there are in all. */
            total: number;
            next_cursor: string | null;
        };
        /** @description A call that did not end well. */
        ToolProblem: {
            call_id: string | null;
            name: string | null;
            /** @description The command, path or query it was about; null where a store does not hold it. */
            about: string | null;
            /** @enum {unknown} */
            status: "failed" | "interrupted" | "denied" | "pending";
            exit_code: number | null;
            error: string | null;
            line: number | null;
        };
        ToolStartedBody: {
            /** @constant */
            type: "tool_started";
            call_id: string;
            name: string;
            input: unknown;
            native_turn_id?: string | null;
            /** @description The call this one ran inside, for example a command started by a script tool. */
            parent_call_id?: string | null;
        };
        Totals: {
            projects: number;
            sessions: number;
            turns: number;
            outcomes: {
                completed: number;
                aborted: number;
                failed: number;
                open: number;
            };
            /** @description Turns that ended well by the agent's word, but whose last check failed, or which did not reach what was asked. */
            unproven: number | null;
            /** @description Sum of the turns' durations; turns that ran side by side count both. */
            duration_ms: number;
            /** @description Calls of the turns and of the sessions they caused. */
            tools: components["schemas"]["ReportTools"];
            files_changed: number | null;
            commits: number | null;
            children: number | null;
            usage: components["schemas"]["Usage"];
            by_model: {
                input_tokens: number;
                cached_input_tokens: number;
                cache_write_tokens: number;
                output_tokens: number;
                reasoning_tokens: number;
                /** @description What is known: with `unpriced_models`, what the other responses cost. Null where nothing is: no response has a price, or work was done and no usage stated. */
                cost_usd: number | null;
                unpriced_models: string[];
                models: string[];
                model: string;
            }[];
        };
        TouchedFile: {
            path: string;
            /** @enum {unknown} */
            operation: "created" | "modified" | "deleted" | "renamed";
        };
        TouchedFileAt: {
            path: string;
            /** @enum {unknown} */
            operation: "created" | "modified" | "deleted" | "renamed";
            line: number;
        };
        /** @description One request of a human and everything it caused, up to its outcome. */
        Turn: {
            source: string;
            session_id: string;
            session_path: string | null;
            project: string;
            project_key: string;
            cwd: string | null;
            turn_ref: string;
            native_turn_id: string | null;
            trigger: {
                time: string | null;
                line: number | null;
                echo_line: number | null;
                text: string | null;
                /** @enum {unknown} */
                kind: "prompt" | "command" | "shell" | "queued" | "answer";
                /** @enum {unknown} */
                entry: "interactive" | "headless" | "sdk" | "ide" | "automated" | "unknown" | null;
                reason: string | null;
                attachments: number | null;
            };
            start_line: number | null;
            end_line: number | null;
            started_at: string | null;
            ended_at: string | null;
            duration_ms: number | null;
            /** @enum {unknown} */
            outcome: "completed" | "aborted" | "failed" | "open";
            outcome_detail: string | null;
            /** @enum {unknown} */
            taken_back: "rolled_back" | "rewound" | null;
            final_text: string | null;
            tools: components["schemas"]["ToolCounts"];
            usage: components["schemas"]["Usage"];
            usage_with_children: components["schemas"]["Usage"];
            children: components["schemas"]["Child"][] | null;
            files: components["schemas"]["TouchedFileAt"][] | null;
            context: components["schemas"]["TurnContext"];
            decisions: string[] | null;
            /** @description What a person put on it; null where there is nothing. */
            marks: components["schemas"]["Marks"] | null;
            /** @description Only from a store: what did not leave the machine it is on. */
            not_pushed?: components["schemas"]["NotPushed"];
        };
        /** @description A turn in few words: enough to find it, and to leave room for it until it is read. */
        TurnBrief: {
            turn_ref: string;
            start_line: number | null;
            /** @description When it was asked for. */
            time: string | null;
            /** @description What was asked, in one line; null where a store does not hold it. */
            request: string | null;
            /** @enum {unknown} */
            outcome: "completed" | "aborted" | "failed" | "open";
            duration_ms: number | null;
            /** @description With what the sessions it caused cost. */
            cost_usd: number | null;
            tool_calls: number;
            /** @description How long its last answer is, in characters. */
            answer_length: number | null;
            model: string | null;
            /** @description The human was asked something in it. */
            has_decisions: boolean | null;
        };
        TurnContext: {
            model: string | null;
            effort: string | null;
            approval_policy: string | null;
            sandbox: string | null;
            network: boolean | null;
            /** @description Places the sandbox keeps closed although it would leave them open by itself. */
            sandbox_excludes: string[] | null;
            reasoning_summary: string | null;
            /** @description Tokens that fit into the model's context. */
            context_window: number | null;
            cwd: string | null;
            git_branch: string | null;
            git_commit: string | null;
            agent_version: string | null;
        };
        /** @description The same of one turn. */
        TurnMarks: {
            turn_ref: string;
            starred: boolean;
            /** @description By key, each once. */
            labels: components["schemas"]["Label"][];
            /** @description The oldest first. */
            notes: components["schemas"]["Note"][];
        };
        TurnPage: {
            turns: components["schemas"]["Turn"][];
            /** @description How many there are in all. */
            total: number;
            next_cursor: string | null;
        };
        UnknownBody: {
            /** @constant */
            type: "unknown";
            native_type: string;
        };
        UnreadableBody: {
            /** @constant */
            type: "unreadable";
            reason: string;
            bytes: number;
            hint: string;
        };
        /** @description Tokens, each counted once, and what they cost. */
        Usage: {
            input_tokens: number;
            cached_input_tokens: number;
            cache_write_tokens: number;
            output_tokens: number;
            reasoning_tokens: number;
            /** @description What is known: with `unpriced_models`, what the other responses cost. Null where nothing is: no response has a price, or work was done and no usage stated. */
            cost_usd: number | null;
            unpriced_models: string[];
            models: string[];
        };
        /** @description A stretch of hours that begins with the hour of its first response; or the time between two in which nothing was spent. */
        UsageBlock: {
            id: string;
            start: string;
            end: string;
            first_response: string | null;
            last_response: string | null;
            is_active: boolean;
            is_gap: boolean;
            responses: number;
            total_tokens: number;
            /** @description Of the block that is running: what is spent between its first and its last response. */
            burn_rate: components["schemas"]["BurnRate"] | null;
            /** @description What the block comes to at that rate. */
            projection: components["schemas"]["Projection"] | null;
            /** @description Only where a limit was given, of the block that is running. */
            limit?: components["schemas"]["LimitStatus"];
            input_tokens: number;
            cached_input_tokens: number;
            cache_write_tokens: number;
            output_tokens: number;
            reasoning_tokens: number;
            /** @description What is known: with `unpriced_models`, what the other responses cost. Null where nothing is: no response has a price, or work was done and no usage stated. */
            cost_usd: number | null;
            unpriced_models: string[];
            models: string[];
        };
        /** @description A statement of usage by a native record. Every statement is kept; `verdict` says what it counts for: `counted` once per response, `duplicate` for repeats, `estimate` for numbers the agent itself guessed, `inherited` for copies. */
        UsageBody: {
            /** @constant */
            type: "usage";
            /** @description Identity of the model response, equal in every copy of it. Of several `counted` with the same id the largest counts. */
            response_id: string;
            model: string | null;
            native_turn_id?: string | null;
            /** @enum {unknown} */
            verdict: "inherited" | "duplicate" | "counted" | "estimate";
            /** @description The response was cut off: what stands here was stated before it ended. */
            cut?: boolean;
            /** @description The agent wrote no record of it: the rule by which it counts, found in a total that holds more than its records. */
            reason?: string;
            /** @description The provider's id of the request. */
            request_id?: string | null;
            /** @description Fresh input only: no cache reads, no cache writes. */
            input_tokens: number;
            cached_input_tokens: number;
            cache_write_tokens: number;
            /** @description Part of `cache_write_tokens` kept for an hour, priced apart. */
            cache_write_1h_tokens: number;
            /** @description Includes reasoning. */
            output_tokens: number;
            reasoning_tokens: number;
        };
        UsageReport: {
            /** @constant */
            schema_version: 1;
            /** @enum {unknown} */
            group: "model" | "session" | "daily" | "weekly" | "monthly" | "turn";
            rows: components["schemas"]["UsageRow"][];
            totals: components["schemas"]["Usage"];
        };
        UsageRow: {
            period: string;
            /** @description Only where rows were asked for per project. */
            project?: string;
            breakdown?: {
                input_tokens: number;
                cached_input_tokens: number;
                cache_write_tokens: number;
                output_tokens: number;
                reasoning_tokens: number;
                /** @description What is known: with `unpriced_models`, what the other responses cost. Null where nothing is: no response has a price, or work was done and no usage stated. */
                cost_usd: number | null;
                unpriced_models: string[];
                models: string[];
                model: string;
            }[];
            /** @description Only where asked for: the same by agent. */
            agents?: components["schemas"]["AgentUsage"][];
            input_tokens: number;
            cached_input_tokens: number;
            cache_write_tokens: number;
            output_tokens: number;
            reasoning_tokens: number;
            /** @description What is known: with `unpriced_models`, what the other responses cost. Null where nothing is: no response has a price, or work was done and no usage stated. */
            cost_usd: number | null;
            unpriced_models: string[];
            models: string[];
        };
        /** @description What one project, agent or kind of turn spent. */
        UsageShare: {
            name: string;
            tokens: number;
            cost_usd: number | null;
            unpriced_models: string[];
        };
        /** @description The same tokens divided in three ways. */
        UsageShares: {
            projects: components["schemas"]["UsageShare"][];
            sources: components["schemas"]["UsageShare"][];
            /** @description By how the turn was asked for; `other` is what no turn of a human answers for. */
            kinds: components["schemas"]["UsageShare"][];
        };
        /** @description What the agent itself states as the total so far. It is there to be compared with what was counted; only what `unwritten` names counts. The latest statement of a counter holds; counters add up. */
        UsageTotalBody: {
            /** @constant */
            type: "usage_total";
            /** @description Which running count it is: an agent that begins again from zero, on resume for example, begins another one. */
            counter: string;
            /** @description Sessions this one caused are part of it. */
            includes_children: boolean;
            /** @description It is written with every response, so that none is missing from it: a difference is an error. False where a process keeps it in memory and may be killed before it is written. */
            exact: boolean;
            models: components["schemas"]["ModelTokens"][];
            /** @description The part of it that other sessions spent: the count of a fork begins with its origin's. */
            inherited?: components["schemas"]["Tokens"];
            /** @description The rule by which what it holds beyond the responses that have records of their own is usage of the session, of no turn: the agent is known to ask models for things it writes no record of. Responses that were cut off are no part of the total. */
            unwritten?: string;
            /** @description When the counter began, ISO 8601 UTC: nothing before that is part of it. */
            since?: string;
            /** @description How long the processes that kept it ran, all together. */
            elapsed_ms?: number;
        };
        /** @description A user-shaped message. `author` says who really wrote it: the human, the agent's client, or an agent. */
        UserBody: {
            /** @constant */
            type: "user";
            /** @enum {unknown} */
            author: "source" | "human" | "agent";
            text: string;
            native_turn_id?: string | null;
            /**
             * @description Only for `author: "human"` messages that ask an agent to act.
             * @enum {unknown}
             */
            kind?: "prompt" | "command" | "shell" | "queued" | "answer";
            /** @enum {unknown} */
            entry?: "interactive" | "headless" | "sdk" | "ide" | "automated" | "unknown";
            /** @description Images, documents and audio that came with the text. */
            attachments?: number;
            /** @description Those of them that were kept. */
            attached?: components["schemas"]["Attachment"][];
            /** @description The agent writes a record when the turn ends: a turn without one was cut off, whatever was said last. */
            ends_stated?: boolean;
        };
        /** @description The last thing the agent said. */
        Words: {
            text: string;
            line: number;
        };
        assistant_finished: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "assistant_finished";
            native_turn_id?: string | null;
            message_id?: string | null;
            model?: string | null;
            text: string;
            finish_reason?: string | null;
            turn_ended?: boolean;
            duration_ms?: number | null;
            review?: {
                findings: {
                    title: string | null;
                    body: string | null;
                    priority: number | null;
                    severity?: string | null;
                    confidence: number | null;
                    path: string | null;
                    start_line: number | null;
                    end_line: number | null;
                }[];
                overall_correctness: string | null;
                overall_explanation: string | null;
                overall_confidence?: number | null;
            } | null;
            request_id?: string | null;
            usage?: {
                input?: number;
                cached_input?: number;
                cache_write?: number;
                output?: number;
                reasoning?: number;
            };
        };
        assistant_started: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "assistant_started";
            native_turn_id?: string | null;
            message_id?: string | null;
            model?: string | null;
        };
        cancelled: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "cancelled";
            /** @enum {string} */
            reason: "interrupted" | "replaced" | "review_ended" | "budget_limited" | "rolled_back" | "rewound" | "unknown";
            native_turn_id?: string | null;
            duration_ms?: number | null;
            turns?: number;
            from_line?: number;
            from_seq?: number;
            from_turn?: string;
        };
        child_linked: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "child_linked";
            child: {
                source: string;
                session_id: string;
            };
            /** @enum {string} */
            relation: "subagent" | "companion" | "review" | "fork";
            /** @enum {string} */
            phase: "spawned" | "returned";
            role?: string | null;
            call_id?: string | null;
        };
        compacted: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "compacted";
            /** @enum {string} */
            trigger: "manual" | "auto" | "unknown";
            summary?: string | null;
            retained?: string[];
        };
        context: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "context";
            native_turn_id?: string | null;
            model?: string | null;
            effort?: string | null;
            approval_policy?: string | null;
            sandbox?: string | null;
            network?: boolean | null;
            sandbox_excludes?: string[] | null;
            reasoning_summary?: string | null;
            context_window?: number | null;
            cwd?: string | null;
            git?: {
                commit?: string | null;
                branch?: string | null;
                remote?: string | null;
                ghost_commit?: string | null;
                ghost_parent?: string | null;
                untracked_files?: string[];
                untracked_dirs?: string[];
            } | null;
            agent_version?: string | null;
            sources?: {
                kind: string;
                path?: string | null;
                hash?: string | null;
                truncated?: boolean;
                scope?: string | null;
                error?: string | null;
            }[];
            rate_limits?: {
                limit_id?: string | null;
                plan?: string | null;
                primary?: {
                    used_percent: number;
                    window_minutes: number | null;
                    resets_at: string | null;
                } | null;
                secondary?: {
                    used_percent: number;
                    window_minutes: number | null;
                    resets_at: string | null;
                } | null;
                credits?: {
                    has_credits: boolean;
                    unlimited: boolean;
                    balance: string | null;
                } | null;
            } | null;
        };
        failed: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "failed";
            message: string;
            code?: string | null;
            native_turn_id?: string | null;
            turn_ended: boolean;
        };
        reasoning_finished: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "reasoning_finished";
            text: string;
        };
        session_archived: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "session_archived";
            archived: boolean;
        };
        session_meta: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "session_meta";
            source?: string;
            /** @enum {string} */
            kind?: "root" | "subagent" | "companion" | "review" | "internal";
            cwd?: string | null;
            started_at?: string | null;
            agent_version?: string | null;
            originator?: string | null;
            provider?: string | null;
            model?: string | null;
            title?: string | null;
            parent?: {
                source: string;
                session_id: string;
            } | null;
            parent_turn_id?: string | null;
            role?: string | null;
            forked_from?: string | null;
            forked_at?: number;
            copy_of?: {
                source: string;
                session_id: string;
            } | null;
            git?: {
                commit?: string | null;
                branch?: string | null;
                remote?: string | null;
                ghost_commit?: string | null;
                ghost_parent?: string | null;
                untracked_files?: string[];
                untracked_dirs?: string[];
            } | null;
            stated?: boolean;
        };
        session_renamed: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "session_renamed";
            title: string | null;
            /** @enum {string} */
            by: "human" | "agent";
        };
        tool_finished: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "tool_finished";
            call_id: string;
            /** @enum {string} */
            status: "ok" | "failed" | "interrupted" | "denied" | "pending" | "skipped";
            exit_code?: number | null;
            duration_ms?: number | null;
            output?: unknown;
            structured?: unknown;
            truncated?: boolean;
            skipped?: boolean;
            attached?: {
                hash: string;
                media_type: string;
                bytes: number;
                name?: string | null;
            }[];
            error?: string | null;
            files?: {
                path: string;
                /** @enum {string} */
                operation: "created" | "modified" | "deleted" | "renamed";
            }[];
        };
        tool_started: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "tool_started";
            call_id: string;
            name: string;
            input: unknown;
            native_turn_id?: string | null;
            parent_call_id?: string | null;
        };
        unknown: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "unknown";
            native_type: string;
        };
        unreadable: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "unreadable";
            reason: string;
            bytes: number;
            hint: string;
        };
        usage: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "usage";
            response_id: string;
            model: string | null;
            native_turn_id?: string | null;
            /** @enum {string} */
            verdict: "counted" | "duplicate" | "estimate" | "inherited";
            cut?: boolean;
            reason?: string;
            request_id?: string | null;
            input_tokens: number;
            cached_input_tokens: number;
            cache_write_tokens: number;
            cache_write_1h_tokens: number;
            output_tokens: number;
            reasoning_tokens: number;
        };
        usage_total: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "usage_total";
            counter: string;
            includes_children: boolean;
            exact: boolean;
            models: {
                model: string | null;
                input_tokens: number;
                cached_input_tokens: number;
                cache_write_tokens: number;
                cache_write_1h_tokens: number;
                output_tokens: number;
                reasoning_tokens: number;
            }[];
            inherited?: {
                input_tokens: number;
                cached_input_tokens: number;
                cache_write_tokens: number;
                cache_write_1h_tokens: number;
                output_tokens: number;
                reasoning_tokens: number;
            };
            unwritten?: string;
            since?: string;
            elapsed_ms?: number;
        };
        user: {
            /** @constant */
            schema_version: 1;
            seq: number;
            time?: string | null;
            session_id: string;
            origin?: {
                line?: number;
                row?: number;
                path?: string;
            };
            turn_id?: string;
            /** @constant */
            type: "user";
            /** @enum {string} */
            author?: "human" | "source" | "agent";
            text: string;
            native_turn_id?: string | null;
            /** @enum {string} */
            kind?: "prompt" | "command" | "shell" | "queued" | "answer";
            /** @enum {string} */
            entry?: "interactive" | "headless" | "sdk" | "ide" | "automated" | "unknown";
            attachments?: number;
            attached?: {
                hash: string;
                media_type: string;
                bytes: number;
                name?: string | null;
            }[];
            ends_stated?: boolean;
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
    getOverview: {
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
                    "application/json": components["schemas"]["Overview"];
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
    getNow: {
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
                    "application/json": components["schemas"]["Now"];
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
    getDays: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
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
                    "application/json": components["schemas"]["Days"];
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
    getReport: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                session?: string;
                date?: string;
                week?: "0" | "1" | "true" | "false";
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
                    "application/json": components["schemas"]["Report"];
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
    getFiles: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Part of the path */
                text?: string;
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
                    "application/json": components["schemas"]["FileList"];
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
    getFilesHistory: {
        parameters: {
            query: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                path: string;
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
                    "application/json": components["schemas"]["FileHistory"];
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
    postSync: {
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
                    "application/json": components["schemas"]["SyncDone"];
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
    getSessions: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                /** @description A label they carry: `KEY` or `KEY=VALUE` */
                label?: string;
                starred?: "0" | "1" | "true" | "false";
                /** @description Only what has a note */
                noted?: "0" | "1" | "true" | "false";
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                source?: string;
                model?: string;
                outcome?: "completed" | "aborted" | "failed" | "open";
                /** @description Only sessions in which a tool call failed */
                failures?: "0" | "1" | "true" | "false";
                /** @description In dollars */
                min_cost?: number | null;
                /** @description Part of the title, the first request or the project */
                text?: string;
                /** @description Also sessions that no human began: sub-agents, reviews */
                children?: "0" | "1" | "true" | "false";
                sort?: "newest" | "oldest" | "active" | "cost" | "turns" | "project";
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
                    "application/json": components["schemas"]["SessionPage"];
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
    getSessionsSourceSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionDetail"];
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
    getSessionsSourceSessionRequests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRequests"];
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
    getSessionsSourceSessionRecords: {
        parameters: {
            query?: {
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Only records of this turn; `none`: those that belong to no turn */
                turn?: string;
                /** @description Only records whose `seq` is higher */
                after?: number | null;
            };
            header?: never;
            path: {
                source: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordPage"];
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
    getSessionsSourceSessionExplain: {
        parameters: {
            query?: {
                line?: number | null;
            };
            header?: never;
            path: {
                source: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainAnswer"];
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
    getTurns: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                /** @description A label they carry: `KEY` or `KEY=VALUE` */
                label?: string;
                starred?: "0" | "1" | "true" | "false";
                /** @description Only what has a note */
                noted?: "0" | "1" | "true" | "false";
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                session?: string;
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
                    "application/json": components["schemas"]["TurnPage"];
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
    getLabels: {
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
                    "application/json": components["schemas"]["LabelList"];
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
    postSessionsSourceSessionMarks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                source: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description One of its turns; the session itself when absent */
                    turn_ref?: string;
                    starred?: boolean;
                    /** @description `KEY=VALUE`, or plain words */
                    label?: string[];
                    /** @description Keys */
                    unlabel?: string[];
                    /** @description The text of a new note */
                    note?: string;
                    /** @description The id of a note */
                    unnote?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionMarked"];
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
    getTools: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                session?: string;
                status?: "ok" | "failed" | "interrupted" | "denied" | "pending";
                name?: string;
                /** @description Only calls whose input holds this text */
                grep?: string;
                risky?: "0" | "1" | "true" | "false";
                /** @description Without calls whose exit code is an ordinary answer */
                unexpected?: "0" | "1" | "true" | "false";
                order?: "worst" | "time" | "slow" | "recent";
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
                    "application/json": components["schemas"]["ToolPage"];
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
    getToolsCommands: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                session?: string;
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
                    "application/json": components["schemas"]["CommandCounts"];
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
    getSearch: {
        parameters: {
            query: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                /** @description A label they carry: `KEY` or `KEY=VALUE` */
                label?: string;
                starred?: "0" | "1" | "true" | "false";
                /** @description Only what has a note */
                noted?: "0" | "1" | "true" | "false";
                session?: string;
                q: string;
                /** @description Any of prompt, reply, summary, error, input, reasoning, output, injected, instructions, note, with commas between them */
                kinds?: string;
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
                    "application/json": components["schemas"]["SearchHits"];
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
    getUsage: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                session?: string;
                group?: "daily" | "weekly" | "monthly" | "session" | "turn" | "model";
                by?: "spent" | "trigger";
                breakdown?: "0" | "1" | "true" | "false";
                /** @description One row per period and project */
                instances?: "0" | "1" | "true" | "false";
                order?: "asc" | "desc";
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
                    "application/json": components["schemas"]["UsageReport"];
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
    getUsageShares: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
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
                    "application/json": components["schemas"]["UsageShares"];
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
    getUsageDearest: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
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
                    "application/json": components["schemas"]["DearestTurns"];
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
    getUsageBlocks: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                hours?: number;
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
                    "application/json": components["schemas"]["BlockList"];
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
    getUsageLimits: {
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
                    "application/json": components["schemas"]["LimitList"];
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
    getDecisions: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                session?: string;
                unanswered?: "0" | "1" | "true" | "false";
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
                    "application/json": components["schemas"]["DecisionList"];
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
    getContext: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                session?: string;
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
                    "application/json": components["schemas"]["ContextList"];
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
    getAudit: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                session?: string;
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
                    "application/json": components["schemas"]["Audit"];
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
    getHealth: {
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
                    "application/json": components["schemas"]["Doctor"];
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
    getSessionExport: {
        parameters: {
            query?: {
                format?: "jsonl" | "html";
            };
            header?: never;
            path: {
                source: string;
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": string;
                };
            };
        };
    };
    getReportExport: {
        parameters: {
            query?: {
                /** @description Name, key or directory of a project */
                project?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                since?: string;
                /** @description A day: YYYY-MM-DD, today, yesterday, 28d */
                until?: string;
                date?: string;
                week?: "0" | "1" | "true" | "false";
                format?: "html" | "markdown" | "standup";
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
                    "text/html": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": string;
                };
            };
        };
    };
    getEvents: {
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
                    "text/event-stream": components["schemas"]["ChangeEvent"];
                };
            };
        };
    };
}
