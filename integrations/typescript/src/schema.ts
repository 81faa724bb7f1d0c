// Written by generate.mjs from the server's OpenAPI schema: change nothing here.
export interface components {
    schemas: {
        Access: {
            searches: number;
            found: number;
            /**
             * Format: double
             * @description Share of the searches that found something.
             */
            hit_rate: number | null;
            /**
             * Format: date
             * @description Also before `since`.
             */
            last_searched_on: string | null;
            /** @description What answered, the most first. */
            by_tier: components["schemas"]["AnsweredBy"][];
            /** @description Every day, the first first. */
            by_day: components["schemas"]["SearchesOnDay"][];
            /** @description Active memories that no search has ever found. */
            never_recalled: number;
            /** @description The ten active ones found most often, ever. */
            most_recalled: components["schemas"]["Recalled"][];
        };
        /**
         * @description * `active` - active
         * @enum {string}
         */
        AgentChangesStatusEnum: "active";
        AgentPage: {
            results: components["schemas"]["AgentShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        AgentShown: {
            /** @description Its name, by which addresses know it. */
            id: string;
            name: string;
            domain: string;
            /** @description Of its sessions that name none: 1 observe (as if null), 2 investigate, 3 remediate. */
            tier: number | null;
            /** @description active or deleted. */
            status: string;
            /** Format: date-time */
            created_at: string;
            keys: components["schemas"]["KeyShown"][];
        };
        AgentWithKey: {
            /** @description Its name, by which addresses know it. */
            id: string;
            name: string;
            domain: string;
            tier: number | null;
            scopes: string[];
            prefix: string;
            /** Format: date-time */
            expires_at: string | null;
            /** @description Shown once. Null when the answer is repeated. */
            api_key: string | null;
        };
        /**
         * @description * `all` - whatever they see
         *     * `own` - what they wrote themselves
         *     * `none` - nothing: they only add
         * @enum {string}
         */
        AgentsEditEnum: "all" | "own" | "none";
        /**
         * @description * `app_full` - app full
         *     * `digest_failed` - digest failed
         *     * `circuit_open` - circuit open
         *     * `job_overdue` - job overdue
         *     * `quarantine_waiting` - quarantine waiting
         *     * `budget_spent` - budget spent
         *     * `backup_failed` - backup failed
         * @enum {string}
         */
        AlertKindEnum: "app_full" | "digest_failed" | "circuit_open" | "job_overdue" | "quarantine_waiting" | "budget_spent" | "backup_failed";
        AlertPage: {
            results: components["schemas"]["AlertShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        AlertRulePage: {
            results: components["schemas"]["AlertRuleShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        AlertRuleShown: {
            /** Format: uuid */
            id: string;
            /** @description Null: of the whole site. */
            app_id: string | null;
            kind: components["schemas"]["AlertKindEnum"];
            /**
             * Format: double
             * @description The usual one, if none was given.
             */
            threshold: number | null;
            /** Format: uuid */
            webhook: string | null;
            emails: string[];
            dashboard: boolean;
            enabled: boolean;
            /** Format: date-time */
            created_at: string;
        };
        AlertShown: {
            /** Format: uuid */
            id: string;
            /** @description Null: of the whole site. */
            app_id: string | null;
            kind: components["schemas"]["AlertKindEnum"];
            /**
             * Format: uuid
             * @description The id of the rule that found it.
             */
            rule: string;
            /** @description What was the matter when it began. */
            text: string;
            /**
             * Format: double
             * @description What the rule's threshold was compared with then.
             */
            value: number;
            /** Format: date-time */
            begun_at: string;
            /**
             * Format: date-time
             * @description Null while it lasts.
             */
            ended_at: string | null;
            /** Format: date-time */
            acknowledged_at: string | null;
            acknowledged_by: string;
            /** @description The last that was mailed: `begun`, `over`, or nothing. */
            mailed: string;
            /** @description Why the last mail was not sent. */
            mail_error: string;
        };
        AnsweredBy: {
            /** @description summaries, items, or none: nothing was found. */
            tier: string;
            searches: number;
            /** Format: double */
            share: number;
            /** Format: double */
            mean_ms: number;
        };
        AnsweredRequest: {
            turn_number: number;
            /** @description What the agent said. */
            text: string;
            /**
             * @description What it was asked; to say that again is no use of a memory. If not given, the stored turn's.
             * @default
             */
            question?: string;
        };
        AppCountedPage: {
            results: components["schemas"]["AppCountedShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        AppCountedShown: {
            app_id: string;
            name: string;
            preset: components["schemas"]["PresetEnum"];
            status: string;
            /** Format: date-time */
            created_at: string;
            policy: components["schemas"]["Policy"];
            counts: components["schemas"]["AppCounts"];
        };
        AppCounts: {
            /** @description Refused texts that nobody has decided about. */
            review: number;
            /** @description Of these, quarantined ones and ones that wait for approval. */
            to_decide: number;
            /** @description Given up: to be tried again by hand. */
            failed_texts: number;
            /** @description Language models that are left alone after failures. */
            open_circuits: number;
            /** @description Runs that no worker took for five minutes. */
            overdue_jobs: number;
            /** @description Runs that were given up. */
            failed_jobs: number;
            /** Format: date-time */
            last_session_at: string | null;
            /** @description Active and inactive: they count against memory_limit. */
            memories: number;
            memory_limit: number;
            /** @description Within 7 days. */
            new_memories: number;
            /** @description Lines that agents were shown within 7 days. */
            injections: number;
            /**
             * Format: double
             * @description Of those judged. Null: none was.
             */
            used_share: number | null;
            /**
             * Format: double
             * @description US dollars for language models this month, as far as known.
             */
            month_cost: number;
        };
        AppMemoryStored: {
            /** Format: uuid */
            id: string;
            content: string;
            kind: string;
            category: string;
            subject: string | null;
            tags: string[];
            importance: number;
            /** Format: double */
            confidence: number;
            strength: string | null;
            sentiment: string;
            status: string;
            pinned: boolean;
            tier: number;
            /** Format: double */
            priority: number;
            user_id: string | null;
            visibility: string;
            origin: components["schemas"]["OriginEnum"];
            trust_level: components["schemas"]["TrustLevelEnum"];
            reviewed_by: string;
            /** Format: date-time */
            reviewed_at: string | null;
            /** Format: uuid */
            session_id: string | null;
            turn_number: number | null;
            /** Format: uuid */
            resource_id: string | null;
            external_id: string | null;
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            confirmed_at: string;
            /** Format: date-time */
            accessed_at: string | null;
            access_count: number;
            /** Format: date-time */
            valid_from: string | null;
            /** Format: date-time */
            valid_until: string | null;
            /** @description One higher with each change of it. If-Match takes it. */
            version: number;
            /** @description created, reinforced or contradicted (created against what was known). */
            outcome: string;
            /** @description Why it is the same or the contrary; empty when it is simply new. */
            reason: string;
            contradicts: string[];
            /** @description What to know of a text that an agent's would have been quarantined for. */
            warning: string;
        };
        AppShown: {
            app_id: string;
            name: string;
            preset: components["schemas"]["PresetEnum"];
            status: string;
            /** Format: date-time */
            created_at: string;
            policy: components["schemas"]["Policy"];
        };
        /**
         * @description * `active` - Active
         *     * `uninstalled` - Uninstalled
         * @enum {string}
         */
        AppStatusEnum: "active" | "uninstalled";
        /** @description The time that was asked about: as given, or as the question names it. */
        AskedTimeShown: {
            /** Format: date-time */
            start: string | null;
            /**
             * Format: date-time
             * @description Not included.
             */
            end: string | null;
            /** @description false: nothing is known of that time. What is found held at another. */
            known: boolean;
        };
        BadLineShown: {
            line: number;
            reason: string;
        };
        BatchAnswer: {
            /** @description Per item: the memory, what waits for a person, or what is wrong with it. */
            results: components["schemas"]["BatchItem"][];
        };
        BatchItem: components["schemas"]["MemoryStored"] | components["schemas"]["MemoryHeld"] | components["schemas"]["ItemRefused"];
        BestPassage: {
            /** @description The part that says most about the question, with the head of its table. */
            text: string;
            /** @description Of the part, in characters of `content`. */
            start: number;
            /** @description Not included. */
            end: number;
        };
        /**
         * @description * `ops` - by subject, most confident first
         *     * `app` - numbered and dated
         *     * `turn` - one line each, with age and category
         * @enum {string}
         */
        BlockEnum: "ops" | "app" | "turn";
        BridgePage: {
            results: components["schemas"]["BridgeShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        BridgeShown: {
            /** Format: uuid */
            id: string;
            name: string;
            agent: string;
            /** @description Where its messages are sent to. */
            address: string;
            /** Format: date-time */
            created_at: string;
        };
        BridgeWithSecret: {
            /** Format: uuid */
            id: string;
            name: string;
            agent: string;
            /** @description Where its messages are sent to. */
            address: string;
            /** Format: date-time */
            created_at: string;
            /** @description For signing messages (Standard Webhooks). Null when the answer is repeated. */
            secret: string | null;
        };
        Budget: {
            /**
             * Format: date-time
             * @description Midnight where the app lives.
             */
            renewed_at: string;
            cost: components["schemas"]["RoomInDollars"];
            tokens: components["schemas"]["RoomInTokens"];
        };
        /**
         * @description * `archive` - archive
         *     * `restore` - restore
         *     * `pin` - pin
         *     * `unpin` - unpin
         *     * `review` - review
         *     * `undo` - undo
         *     * `delete` - delete
         * @enum {string}
         */
        BulkChangeActionEnum: "archive" | "restore" | "pin" | "unpin" | "review" | "undo" | "delete";
        BulkChangeRequest: {
            ids: string[];
            action: components["schemas"]["BulkChangeActionEnum"];
        };
        CaptureCounts: {
            created: number;
            reinforced: number;
            /** @description Memories that lost confidence. */
            contradicted: number;
            /** @description Markers that only repeated what was injected. */
            echoed: number;
            rejected: number;
            events: number;
        };
        CategoryCount: {
            category: string;
            memories: number;
        };
        CategoryPage: {
            results: components["schemas"]["CategoryShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        CategoryShown: {
            category: string;
            /** @description Active ones that this agent may see. */
            memories: number;
            /** @description Whether one is stored. One that is not is written by rule when it is asked for. */
            has_summary: boolean;
            version: number | null;
            /**
             * Format: date-time
             * @description When the summary was written.
             */
            updated_at: string | null;
            /** @description The model that wrote it, such as openai:gpt-x, or rules. */
            made_by: string | null;
        };
        ChangeShown: {
            /** @description memory.changed or memory.deleted. */
            type: string;
            memory_id: string;
            /** @description As it is by now; null for one that is deleted. */
            memory: components["schemas"]["MemoryShown"] | null;
        };
        ChangesShown: {
            results: components["schemas"]["ChangeShown"][];
            /** @description Where to go on: the next `since`. */
            last: number;
        };
        CheckpointRequest: {
            /** @default  */
            user_input?: string;
            tool_calls?: (unknown | null)[];
            /** @default  */
            llm_output?: string;
            internal_state?: {
                [key: string]: unknown;
            };
        };
        Citation: {
            /**
             * Format: uuid
             * @description Of the document.
             */
            id: string;
            name: string;
            page: number | null;
            heading: string | null;
            /** @description All of it as one text. */
            citation: string;
        };
        /**
         * @description * `view` - view
         *     * `create` - create
         *     * `str_replace` - str_replace
         *     * `insert` - insert
         *     * `delete` - delete
         *     * `rename` - rename
         * @enum {string}
         */
        CommandEnum: "view" | "create" | "str_replace" | "insert" | "delete" | "rename";
        /** @description The input of the tool as the model wrote it. */
        CommandRequest: {
            command: components["schemas"]["CommandEnum"];
            path?: string;
            /** @description First and last line. */
            view_range?: number[] | null;
            file_text?: string;
            old_str?: string;
            /** @default  */
            new_str?: string;
            insert_line?: number;
            insert_text?: string;
            old_path?: string;
            new_path?: string;
        };
        Compactions: {
            /** @description Times that the app was full and made room. */
            total: number;
            /** @description Every day, the first first. */
            by_day: components["schemas"]["CompactionsOnDay"][];
        };
        CompactionsOnDay: {
            /** Format: date */
            day: string;
            compactions: number;
        };
        ContextAnswer: {
            text: string;
            tokens: number;
            included: number;
            total: number;
            memories: components["schemas"]["MemoryTagged"][];
            tier_answered: string | null;
            /**
             * @description Of a question over many memories how it was answered: order (of time), summary, count, list.
             *
             *     * `order` - order
             *     * `summary` - summary
             *     * `count` - count
             *     * `list` - list
             */
            coverage: components["schemas"]["CoverageEnum"] | components["schemas"]["NullEnum"];
            economised: boolean;
            degraded: string[];
            asked_time: components["schemas"]["AskedTimeShown"] | null;
        };
        ContextMessageRequest: {
            role: string;
            content: string;
        };
        /** @description The times that a search or a context may ask about; a range may be open at one end. */
        ContextQuestionRequest: {
            /**
             * Format: date-time
             * @description Only what held at this time, though it may have ended since.
             */
            valid_at?: string | null;
            /**
             * Format: date-time
             * @description Only what held at some time from here on.
             */
            valid_from?: string | null;
            /**
             * Format: date-time
             * @description Only what held at some time before this.
             */
            valid_until?: string | null;
            /**
             * Format: date-time
             * @description Only what was stored from here on.
             */
            since?: string | null;
            /**
             * Format: date-time
             * @description Only what was stored before this.
             */
            until?: string | null;
            /** Format: uuid */
            session_id?: string | null;
            turn_number?: number | null;
            messages?: components["schemas"]["ContextMessageRequest"][];
            /** @default  */
            query?: string;
            format?: components["schemas"]["FormatEnum"];
            max_tokens?: number | null;
            limit?: number | null;
            /**
             * Format: double
             * @description Hits with a lower score are left out; by default those below the policy's `min_score`.
             */
            min_score?: number | null;
            user_id?: string | null;
        };
        Conversations: {
            /** @description Sessions begun on these days. */
            begun: number;
            /** @description Of these, how many were shown any memory. */
            with_memories: number;
            /** Format: double */
            share: number | null;
        };
        CooldownPage: {
            results: components["schemas"]["CooldownShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        CooldownShown: {
            /** Format: uuid */
            id: string;
            action: string;
            service: string;
            /** Format: date-time */
            until: string;
            reason: string;
            /** @description Who reported it last. */
            agent: string;
            /** Format: uuid */
            session_id: string | null;
            /** Format: date-time */
            created_at: string;
        };
        CostHealth: {
            calls: number;
            tokens: number;
            /**
             * Format: double
             * @description US dollars, of the calls whose price is known.
             */
            cost: number;
            by_operation: {
                [key: string]: components["schemas"]["OperationHealth"];
            };
        };
        Counted: {
            new: number;
            known: number;
            /** @description It does not fit into this app, or waits for a person. */
            left_out: number;
            /** @description A secret was taken out of it. */
            redacted: number;
            /** @description The file is not signed by this server: who said or reviewed it is not believed. */
            untrusted: number;
            /** @description Of what was left out: a person has to decide about it, or agents may not read it. */
            withheld: number;
        };
        /**
         * @description * `order` - order
         *     * `summary` - summary
         *     * `count` - count
         *     * `list` - list
         * @enum {string}
         */
        CoverageEnum: "order" | "summary" | "count" | "list";
        CreatedInHour: {
            /** Format: date-time */
            since: string;
            created: number;
        };
        CreatedOnDay: {
            /** Format: date */
            day: string;
            created: number;
        };
        Decided: {
            decided: number;
            /** @description How many were left as they are, by why. */
            left: {
                [key: string]: number;
            };
        };
        /**
         * @description * `approve` - store them
         *     * `reject` - leave them out
         * @enum {string}
         */
        DecisionsActionEnum: "approve" | "reject";
        DecisionsRequest: {
            action: components["schemas"]["DecisionsActionEnum"];
            /** @description Of rejections. */
            ids: string[];
            /**
             * @description Why they are rejected.
             * @default
             */
            reason?: string;
        };
        Deleted: {
            success: boolean;
            deleted_count: number;
        };
        DeliveryPage: {
            results: components["schemas"]["DeliveryShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        DeliveryShown: {
            /**
             * Format: uuid
             * @description The `webhook-id` of the message.
             */
            id: string;
            kind: string;
            payload: components["schemas"]["MessageSent"];
            status: components["schemas"]["DeliveryShownStatusEnum"];
            attempts: number;
            /**
             * Format: date-time
             * @description When it is tried next, if it waits.
             */
            next_at: string;
            /** @description The status that it was answered with last. */
            answer: number | null;
            /** @description Why the last try failed. */
            reason: string;
            /**
             * Format: double
             * @description How long the last try took.
             */
            seconds: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            finished_at: string | null;
        };
        /**
         * @description * `waiting` - Waiting
         *     * `delivered` - Delivered
         *     * `dead` - given up: replay it by hand
         * @enum {string}
         */
        DeliveryShownStatusEnum: "waiting" | "delivered" | "dead";
        DocumentPage: {
            results: components["schemas"]["DocumentShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        DocumentShown: {
            /** Format: uuid */
            id: string;
            name: string;
            external_id: string | null;
            /** @description As it was read; empty until then. */
            content_type: string;
            /** @description Bytes. */
            size: number;
            status: components["schemas"]["DocumentShownStatusEnum"];
            /** @description Why it could not be read, or why passages are withheld. */
            reason: string;
            /** @description null for formats without pages. */
            pages: number | null;
            /** @description That can be found. While a new file is read, those of the one before. */
            passages: number;
            /** @description Passages that are kept from agents. */
            withheld_count: number;
            tags: string[];
            user_id: string | null;
            origin: components["schemas"]["OriginEnum"];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * @description * `waiting` - waiting: to be read by a worker
         *     * `ready` - Ready
         *     * `failed` - failed: upload it again
         * @enum {string}
         */
        DocumentShownStatusEnum: "waiting" | "ready" | "failed";
        /**
         * @description * `beside` - passages of documents beside memories
         *     * `only` - these alone
         *     * `none` - memories alone
         * @enum {string}
         */
        DocumentsEnum: "beside" | "only" | "none";
        EndOfSessionRequest: {
            /** @default  */
            reason?: string;
        };
        EnergyConsumed: {
            /**
             * Format: double
             * @description Used since this was last asked by any agent of the app. One search is one unit.
             */
            units: number;
            /** @description The same units by operation. */
            by_operation: {
                [key: string]: number;
            };
            /**
             * Format: date
             * @description The day of the first of these units, null for none.
             */
            since: string | null;
            /** Format: double */
            level: number;
            low: boolean;
            /** @description Texts and sessions that still wait to be learnt from. */
            deferred: number;
        };
        EnergyLevelRequest: {
            /**
             * Format: double
             * @description How much energy the app's agents have left, 0 to 1.
             */
            level: number;
        };
        EnergyNoted: {
            /** Format: double */
            level: number;
            /** @description Whether it is too little to learn: new texts are kept, and learnt from later. */
            low: boolean;
        };
        EnergyUsed: {
            /**
             * Format: double
             * @description What its agents have left, 0 to 1.
             */
            level: number;
            /**
             * Format: double
             * @description Below it learning waits.
             */
            floor: number;
            low: boolean;
            /**
             * Format: double
             * @description One search is one unit. Told or not: `GET /energy/consumed` still tells what it has not.
             */
            units: number;
            /** @description Every day, the first first. */
            by_day: components["schemas"]["UnitsOnDay"][];
            /** @description The most units first. */
            by_operation: components["schemas"]["UnitsOfOperation"][];
        };
        EntityPage: {
            results: components["schemas"]["EntityShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        EntityShown: {
            /** Format: uuid */
            id: string;
            name: string;
            kind: string;
            /** @description Memories that mention it, as far as the caller may see them. */
            memories: number;
            /** Format: date-time */
            created_at: string;
        };
        EventPage: {
            results: components["schemas"]["EventShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        EventShown: {
            /** Format: uuid */
            id: string;
            level: string;
            service: string | null;
            message: string;
            /** Format: uuid */
            session_id: string | null;
            turn_number: number | null;
            /** Format: uuid */
            memory_id: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /**
         * @description * `memory.created` - memory.created
         *     * `memory.reinforced` - memory.reinforced
         *     * `memory.contradicted` - memory.contradicted
         *     * `memory.superseded` - memory.superseded
         *     * `memory.archived` - memory.archived
         *     * `memory.restored` - memory.restored
         *     * `memory.updated` - memory.updated
         *     * `memory.deleted` - memory.deleted
         *     * `alert.begun` - alert.begun
         *     * `alert.over` - alert.over
         * @enum {string}
         */
        EventsEnum: "memory.created" | "memory.reinforced" | "memory.contradicted" | "memory.superseded" | "memory.archived" | "memory.restored" | "memory.updated" | "memory.deleted" | "alert.begun" | "alert.over";
        ExtractionPage: {
            results: components["schemas"]["ExtractionShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        ExtractionQueued: {
            /** @description Texts whose facts will be found in the background. */
            queued: number;
        };
        ExtractionShown: {
            /** Format: uuid */
            id: string;
            /** @description facts of one text, or the digest of a session */
            what: string;
            /** @description pending, running, done, failed (will be tried again) or dead (given up) */
            status: string;
            /** Format: uuid */
            session_id: string;
            /** Format: uuid */
            resource_id: string | null;
            attempts: number;
            /**
             * Format: date-time
             * @description Not tried before this time.
             */
            next_at: string;
            /** @description Why it failed, or waits. */
            reason: string;
            /** @description The model that answered, such as openai:gpt-x, or rules. */
            made_by: string;
            stored: number;
            reinforced: number;
            rejected: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            finished_at: string | null;
        };
        FactShown: {
            content: string;
            kind: string;
            category: string;
            subject: string | null;
            tags: string[];
            importance: number;
            /** Format: double */
            confidence: number;
            strength: string;
            sentiment: string;
            made_by: string;
            /** @description The place in `messages` where it was said. */
            message: number;
            relations: components["schemas"]["RelationShown"][];
        };
        FailureHealth: {
            texts_given_up: number;
            texts_waiting: number;
            /** @description In a model's place, which reads them again. */
            texts_read_by_rules: number;
            /** @description Runs that failed, by job. */
            jobs: {
                [key: string]: number;
            };
            /** @description Active memories that are found by words only. */
            without_vector: number;
            /** @description By kind. */
            rejected: {
                [key: string]: number;
            };
            /** Format: date-time */
            last_extracted_at: string | null;
        };
        FeedbackShown: {
            used: components["schemas"]["JudgedShown"][];
            ignored: components["schemas"]["JudgedShown"][];
        };
        /**
         * @description * `ops` - ops
         *     * `app` - app
         *     * `turn` - turn
         *     * `json` - json
         * @enum {string}
         */
        FormatEnum: "ops" | "app" | "turn" | "json";
        Greeting: {
            /** @description The block to put before the agent; empty when nothing is known. */
            text: string;
            tokens: number;
            memories: components["schemas"]["MemoryTagged"][];
            lessons: components["schemas"]["MemoryTagged"][];
            triggers: components["schemas"]["TriggerShown"][];
        };
        Growth: {
            /** @description On all of these days, and still there. */
            created: number;
            /** @description Every day, the first first. */
            by_day: components["schemas"]["CreatedOnDay"][];
            /** @description In the last hour. */
            last_hour: number;
            /** @description The last 24 hours, the first first. */
            by_hour: components["schemas"]["CreatedInHour"][];
        };
        HealthShown: {
            app_id: string;
            /** Format: date-time */
            at: string;
            /** @description The rates are of so many days until then. */
            days: number;
            /** @description By status. */
            memories: {
                [key: string]: number;
            };
            limit: number;
            pinned: number;
            /** @description Active ones; the twenty largest. */
            categories: {
                [key: string]: number;
            };
            /** @description Active ones by the time since they were confirmed. */
            confirmed: {
                [key: string]: number;
            };
            /** @description Active ones: under 0.1, under 0.2, … up to 1. */
            confidence: number[];
            /** @description What came in, by month. */
            growth: {
                [key: string]: number;
            };
            recall: components["schemas"]["RecallHealth"];
            use: components["schemas"]["UseHealth"];
            costs: components["schemas"]["CostHealth"];
            failures: components["schemas"]["FailureHealth"];
        };
        HitShown: {
            /** Format: uuid */
            id: string;
            content: string;
            kind: string;
            category: string;
            subject: string | null;
            tags: string[];
            importance: number;
            /** Format: double */
            confidence: number;
            strength: string | null;
            sentiment: string;
            status: string;
            pinned: boolean;
            tier: number;
            /** Format: double */
            priority: number;
            user_id: string | null;
            visibility: string;
            origin: components["schemas"]["OriginEnum"];
            trust_level: components["schemas"]["TrustLevelEnum"];
            reviewed_by: string;
            /** Format: date-time */
            reviewed_at: string | null;
            /** Format: uuid */
            session_id: string | null;
            turn_number: number | null;
            /** Format: uuid */
            resource_id: string | null;
            external_id: string | null;
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            confirmed_at: string;
            /** Format: date-time */
            accessed_at: string | null;
            access_count: number;
            /** Format: date-time */
            valid_from: string | null;
            /** Format: date-time */
            valid_until: string | null;
            /** @description One higher with each change of it. If-Match takes it. */
            version: number;
            /** @description What to know: conflicting, uncertain, stale, unconfirmed (nobody said it twice), unreviewed; standing: it applies to the request, whether or not it answers it. */
            trust: string[];
            /** @description Where it is quoted from: a passage, and no memory. Else null. */
            document: components["schemas"]["Citation"] | null;
            /** @description Its interval, by the app's clock: `valid 2025-09-01 to 2026-03-14`. */
            validity: string;
            /** @description Of a `content` of more than 600 characters. Else null. */
            passage: components["schemas"]["BestPassage"] | null;
            /**
             * Format: double
             * @description The probability that it answers: of hits with 0.8, eight of ten do.
             */
            score: number;
            /** @description The app it comes from, if it is not this one. */
            shared_by: string | null;
            /** @description With `explain`: the parts of `formula_score`. */
            scores?: {
                [key: string]: number;
            };
            /**
             * Format: double
             * @description With `explain`: what the ranking's formula gives; `score` rises with it.
             */
            formula_score?: number;
            /** @description With `explain`: what it replaced, which counts for it. */
            replaced?: string[];
        };
        HookAnswer: {
            /** @description Missing where there is nothing to say. */
            hookSpecificOutput?: components["schemas"]["HookOutput"];
        };
        /**
         * @description What Claude Code says of an event, as far as we use it. It may say more, and with each version it does.
         *
         *     What may be left out and is no text counts as left out: refusing the event would lose the rest of it, too.
         */
        HookEventRequest: {
            hook_event_name: string;
            /** @description Claude Code's own: our session has it as its external_id. */
            session_id: string;
            /** @default  */
            cwd?: string | null;
            /** @default  */
            prompt_id?: string | null;
            /** @default  */
            prompt?: string | null;
            /** @default  */
            last_assistant_message?: string | null;
            /** @default  */
            source?: string | null;
            /** @default  */
            reason?: string | null;
            /**
             * @description Of a new session.
             * @default
             */
            user_id?: string | null;
            /**
             * @description The program.
             * @default
             */
            client?: string | null;
            /** @description Of `memsite hook`: all that was said since its last call. Without it, prompt and answer are taken. */
            messages?: components["schemas"]["MessageRequest"][];
        };
        HookOutput: {
            hookEventName: string;
            /** @description To be put before the agent. */
            additionalContext: string;
        };
        IdsRequest: {
            ids: string[];
        };
        ImportPage: {
            results: components["schemas"]["ImportShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        ImportShown: {
            /** Format: uuid */
            id: string;
            source: string;
            /** @description Whose conversations they become; empty for an app's own export. */
            agent: string;
            user_id: string | null;
            status: components["schemas"]["ImportShownStatusEnum"];
            lines: number;
            /** @description Lines that were taken in so far. */
            done: number;
            /** @description By type: what is new, what was known already, what was left out; and how much of it was changed. */
            counts: {
                [key: string]: components["schemas"]["Counted"];
            };
            /** @description Why it failed or was stopped. */
            reason: string;
            asked_by: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            finished_at: string | null;
        };
        /**
         * @description * `reading` - reading: nothing of it is kept yet
         *     * `waiting` - waiting: what is left is being taken in
         *     * `done` - Done
         *     * `failed` - Failed
         *     * `stopped` - Stopped
         * @enum {string}
         */
        ImportShownStatusEnum: "reading" | "waiting" | "done" | "failed" | "stopped";
        ItemError: {
            status: number;
            errors: components["schemas"]["ProblemError"][];
        };
        ItemRefused: {
            error: components["schemas"]["ItemError"];
        };
        JobAnswer: {
            /** @description False: this period's run was there already, and nothing is done twice. */
            is_new: boolean;
            run: components["schemas"]["RunShown"];
        };
        JobFiredRequest: {
            /** @description Needed unless the key belongs to an app or the job is for the whole site. */
            app_id?: string;
        };
        JobShown: {
            name: string;
            /** @description What it does. */
            title: string;
            /** @description When it is due, on the clock of the app. */
            schedule: string;
            enabled: boolean;
            /**
             * Format: date-time
             * @description When it is due next; null while it is off.
             */
            next_at: string | null;
            last_run: components["schemas"]["RunShown"] | null;
        };
        JobsRun: {
            jobs_run: string[];
        };
        JobsShown: {
            results: components["schemas"]["JobShown"][];
        };
        JudgedShown: {
            /** Format: uuid */
            id: string;
            /**
             * Format: double
             * @description Share of its telling words in the answer, 0 to 1.
             */
            word_share: number;
            /**
             * Format: double
             * @description Highest cosine with a passage of it; null where not compared.
             */
            similarity: number | null;
            evidence: string;
        };
        KeyPage: {
            results: components["schemas"]["KeyShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        KeyShown: {
            prefix: string;
            scopes: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            revoked_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
        };
        LinkPage: {
            results: components["schemas"]["LinkShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        LinkShown: {
            /** Format: uuid */
            from_id: string;
            /** Format: uuid */
            to_id: string;
            kind: string;
            /** Format: date-time */
            created_at: string;
        };
        ManyChanged: {
            done: number;
            /** @description How many were left as they are, by why. */
            left: {
                [key: string]: number;
            };
        };
        MemoryBatchRequest: {
            memories: components["schemas"]["NewMemoryRequest"][];
            /** @default false */
            dedupe?: boolean;
        };
        MemoryCounts: {
            /** @description Of whatever status, as in all of the lists below. */
            total: number;
            /** @description Active and inactive: what counts against `limit`. */
            live: number;
            limit: number;
            /**
             * Format: double
             * @description Share of `limit`.
             */
            full: number | null;
            /** Format: date-time */
            last_created_at: string | null;
            by_status: {
                [key: string]: number;
            };
            by_kind: {
                [key: string]: number;
            };
            /** @description The ten largest by live memories, the largest first. */
            by_category: components["schemas"]["CategoryCount"][];
            /** @description Which way they came in. */
            by_source: {
                [key: string]: number;
            };
            /** @description Who said it. */
            by_origin: {
                [key: string]: number;
            };
            /** @description Of the session they came from. */
            by_tier: {
                [key: string]: number;
            };
        };
        /** @description Kept, and not stored: a person decides (docs/trust.md). */
        MemoryHeld: {
            /**
             * @description waiting: for a person's approval.
             *
             *     * `quarantined` - quarantined
             *     * `waiting` - waiting
             */
            outcome: components["schemas"]["OutcomeEnum"];
            reason: string;
            /** Format: uuid */
            rejection_id: string;
        };
        MemoryPage: {
            results: components["schemas"]["MemoryShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        MemoryShown: {
            /** Format: uuid */
            id: string;
            content: string;
            kind: string;
            category: string;
            subject: string | null;
            tags: string[];
            importance: number;
            /** Format: double */
            confidence: number;
            strength: string | null;
            sentiment: string;
            status: string;
            pinned: boolean;
            tier: number;
            /** Format: double */
            priority: number;
            user_id: string | null;
            visibility: string;
            origin: components["schemas"]["OriginEnum"];
            trust_level: components["schemas"]["TrustLevelEnum"];
            reviewed_by: string;
            /** Format: date-time */
            reviewed_at: string | null;
            /** Format: uuid */
            session_id: string | null;
            turn_number: number | null;
            /** Format: uuid */
            resource_id: string | null;
            external_id: string | null;
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            confirmed_at: string;
            /** Format: date-time */
            accessed_at: string | null;
            access_count: number;
            /** Format: date-time */
            valid_from: string | null;
            /** Format: date-time */
            valid_until: string | null;
            /** @description One higher with each change of it. If-Match takes it. */
            version: number;
        };
        MemoryStored: {
            /** Format: uuid */
            id: string;
            content: string;
            kind: string;
            category: string;
            subject: string | null;
            tags: string[];
            importance: number;
            /** Format: double */
            confidence: number;
            strength: string | null;
            sentiment: string;
            status: string;
            pinned: boolean;
            tier: number;
            /** Format: double */
            priority: number;
            user_id: string | null;
            visibility: string;
            origin: components["schemas"]["OriginEnum"];
            trust_level: components["schemas"]["TrustLevelEnum"];
            reviewed_by: string;
            /** Format: date-time */
            reviewed_at: string | null;
            /** Format: uuid */
            session_id: string | null;
            turn_number: number | null;
            /** Format: uuid */
            resource_id: string | null;
            external_id: string | null;
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            confirmed_at: string;
            /** Format: date-time */
            accessed_at: string | null;
            access_count: number;
            /** Format: date-time */
            valid_from: string | null;
            /** Format: date-time */
            valid_until: string | null;
            /** @description One higher with each change of it. If-Match takes it. */
            version: number;
            /** @description created, reinforced or contradicted (created against what was known). */
            outcome: string;
            /** @description Why it is the same or the contrary; empty when it is simply new. */
            reason: string;
            contradicts: string[];
        };
        MemoryTagged: {
            /** Format: uuid */
            id: string;
            content: string;
            kind: string;
            category: string;
            subject: string | null;
            tags: string[];
            importance: number;
            /** Format: double */
            confidence: number;
            strength: string | null;
            sentiment: string;
            status: string;
            pinned: boolean;
            tier: number;
            /** Format: double */
            priority: number;
            user_id: string | null;
            visibility: string;
            origin: components["schemas"]["OriginEnum"];
            trust_level: components["schemas"]["TrustLevelEnum"];
            reviewed_by: string;
            /** Format: date-time */
            reviewed_at: string | null;
            /** Format: uuid */
            session_id: string | null;
            turn_number: number | null;
            /** Format: uuid */
            resource_id: string | null;
            external_id: string | null;
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            confirmed_at: string;
            /** Format: date-time */
            accessed_at: string | null;
            access_count: number;
            /** Format: date-time */
            valid_from: string | null;
            /** Format: date-time */
            valid_until: string | null;
            /** @description One higher with each change of it. If-Match takes it. */
            version: number;
            /** @description What to know: conflicting, uncertain, stale, unconfirmed (nobody said it twice), unreviewed; standing: it applies to the request, whether or not it answers it. */
            trust: string[];
            /** @description Where it is quoted from: a passage, and no memory. Else null. */
            document: components["schemas"]["Citation"] | null;
            /** @description Its interval, by the app's clock: `valid 2025-09-01 to 2026-03-14`. */
            validity: string;
        };
        MessageRequest: {
            role: components["schemas"]["RoleEnum"];
            content: string;
            /**
             * Format: date-time
             * @description When it was said, with the offset of the clock there; the app's time zone counts for Z and +00:00.
             */
            at?: string | null;
            /** @description Who says it, where several people speak: what they say of themselves is kept under their name. */
            name?: string | null;
            /** @description Yours: sent again, it is stored once. */
            external_id?: string | null;
        };
        MessageSent: {
            type: string;
            /** Format: date-time */
            timestamp: string;
            /** @description What changed, by its ids. */
            data: {
                [key: string]: unknown;
            };
        };
        MessagesRequest: {
            messages: components["schemas"]["MessageRequest"][];
        };
        MessagesStored: {
            /** @description Of what is new, then of what was stored before; of what is blank or private, none. */
            resource_ids: string[];
            captured: components["schemas"]["CaptureCounts"];
            extraction: components["schemas"]["ExtractionQueued"];
        };
        /**
         * @description * `auto` - auto
         *     * `tiered` - tiered
         *     * `dual` - dual
         *     * `vector` - vector
         *     * `fulltext` - fulltext
         *     * `graph` - graph
         * @enum {string}
         */
        ModeEnum: "auto" | "tiered" | "dual" | "vector" | "fulltext" | "graph";
        NewAgentRequest: {
            name: string;
            domain?: string;
            /** @description Of its sessions that name none: 1 observe (as if null), 2 investigate, 3 remediate. */
            tier?: number | null;
            /**
             * @default [
             *       "read",
             *       "write"
             *     ]
             */
            scopes?: components["schemas"]["ScopesEnum"][];
        };
        NewAlertRuleRequest: {
            /**
             * @description What it watches. A backup only for a rule of the whole site.
             *
             *     * `app_full` - app full
             *     * `digest_failed` - digest failed
             *     * `circuit_open` - circuit open
             *     * `job_overdue` - job overdue
             *     * `quarantine_waiting` - quarantine waiting
             *     * `budget_spent` - budget spent
             *     * `backup_failed` - backup failed
             */
            kind: components["schemas"]["AlertKindEnum"];
            /**
             * Format: double
             * @description From which on it alerts: a share (app_full, budget_spent), a number (digest_failed, quarantine_waiting), minutes (job_overdue), hours (backup_failed). Null: 0.9, 1, 15, 26.
             */
            threshold?: number | null;
            /**
             * Format: uuid
             * @description Who is sent `alert.begun` and `alert.over`, whatever its `events`.
             */
            webhook?: string | null;
            /** @description Who gets a mail. */
            emails?: string[];
            /**
             * @description Shown and counted on the dashboard.
             * @default true
             */
            dashboard?: boolean;
            /** @default true */
            enabled?: boolean;
        };
        /** @description An operator's word, which belongs to no agent and no session. */
        NewAppMemoryRequest: {
            /** @description As many characters as the app's policy allows: `max_characters`. */
            content: string;
            category?: string;
            subject?: string | null;
            importance?: number;
            /** Format: double */
            confidence?: number;
            tags?: string[];
            pinned?: boolean;
            user_id?: string | null;
            visibility?: components["schemas"]["VisibilityEnum"];
            /**
             * Format: date-time
             * @description From when it holds. A later one of the same matter ends the earlier one.
             */
            valid_from?: string | null;
            /**
             * Format: date-time
             * @description Until when, this moment not included.
             */
            valid_until?: string | null;
            /** @description 16,384 characters as JSON at most. */
            metadata?: {
                [key: string]: unknown;
            };
            kind?: components["schemas"]["NewMemoryOnceKindEnum"];
            external_id?: string | null;
            /**
             * @description False stores it even if the same is known.
             * @default true
             */
            dedupe?: boolean;
        };
        NewAppRequest: {
            /** @description Its name in URLs. */
            app_id: string;
            name: string;
            /** @default standard */
            preset?: components["schemas"]["PresetEnum"];
            /** @description Policy fields that differ from the preset's. */
            policy?: components["schemas"]["PatchedPolicyRequest"];
        };
        NewBridgeRequest: {
            /** @description slack, discord-home, … */
            name: string;
            /** @description Whose sessions they become. */
            agent: string;
        };
        NewCooldownRequest: {
            /** @description What will not be done again: restart, redeploy, … */
            action: string;
            /**
             * @description To what.
             * @default
             */
            service?: string;
            /** @description How long, from now. */
            seconds?: number;
            /**
             * Format: date-time
             * @description Or until when.
             */
            until?: string;
            /** @default  */
            reason?: string;
            /** Format: uuid */
            session_id?: string;
        };
        NewKeyRequest: {
            /**
             * @default [
             *       "read",
             *       "write"
             *     ]
             */
            scopes?: components["schemas"]["ScopesEnum"][];
            /** Format: date-time */
            expires_at?: string | null;
        };
        /**
         * @description * `related` - Related
         *     * `supersedes` - Supersedes
         *     * `contradicts` - Contradicts
         *     * `elaborates` - Elaborates
         * @enum {string}
         */
        NewLinkKindEnum: "related" | "supersedes" | "contradicts" | "elaborates";
        NewLinkRequest: {
            /** Format: uuid */
            to: string;
            /** @default related */
            kind?: components["schemas"]["NewLinkKindEnum"];
        };
        /**
         * @description * `decision` - Decision
         *     * `insight` - Insight
         *     * `fact` - Fact
         *     * `preference` - Preference
         *     * `project` - Project
         *     * `conversation` - Conversation
         *     * `general` - General
         *     * `lesson` - Lesson
         * @enum {string}
         */
        NewMemoryOnceKindEnum: "decision" | "insight" | "fact" | "preference" | "project" | "conversation" | "general" | "lesson";
        /** @description What can be said of a memory at creation and later alike. */
        NewMemoryOnceRequest: {
            /** @description As many characters as the app's policy allows: `max_characters`. */
            content: string;
            category?: string;
            subject?: string | null;
            importance?: number;
            /** Format: double */
            confidence?: number;
            tags?: string[];
            pinned?: boolean;
            user_id?: string | null;
            visibility?: components["schemas"]["VisibilityEnum"];
            /**
             * Format: date-time
             * @description From when it holds. A later one of the same matter ends the earlier one.
             */
            valid_from?: string | null;
            /**
             * Format: date-time
             * @description Until when, this moment not included.
             */
            valid_until?: string | null;
            /** @description 16,384 characters as JSON at most. */
            metadata?: {
                [key: string]: unknown;
            };
            kind?: components["schemas"]["NewMemoryOnceKindEnum"];
            /**
             * @description Who said it: docs/trust.md.
             *
             *     * `assistant` - the agent itself
             *     * `agent` - another agent or program
             *     * `tool` - a tool
             *     * `web` - something read on the web
             */
            origin?: components["schemas"]["SayableOriginEnum"];
            /** Format: uuid */
            session_id?: string | null;
            turn_number?: number | null;
            external_id?: string | null;
            /**
             * @description False stores it even if the same is known.
             * @default true
             */
            dedupe?: boolean;
        };
        /** @description What can be said of a memory at creation and later alike. */
        NewMemoryRequest: {
            /** @description As many characters as the app's policy allows: `max_characters`. */
            content: string;
            category?: string;
            subject?: string | null;
            importance?: number;
            /** Format: double */
            confidence?: number;
            tags?: string[];
            pinned?: boolean;
            user_id?: string | null;
            visibility?: components["schemas"]["VisibilityEnum"];
            /**
             * Format: date-time
             * @description From when it holds. A later one of the same matter ends the earlier one.
             */
            valid_from?: string | null;
            /**
             * Format: date-time
             * @description Until when, this moment not included.
             */
            valid_until?: string | null;
            /** @description 16,384 characters as JSON at most. */
            metadata?: {
                [key: string]: unknown;
            };
            kind?: components["schemas"]["NewMemoryOnceKindEnum"];
            /**
             * @description Who said it: docs/trust.md.
             *
             *     * `assistant` - the agent itself
             *     * `agent` - another agent or program
             *     * `tool` - a tool
             *     * `web` - something read on the web
             */
            origin?: components["schemas"]["SayableOriginEnum"];
            /** Format: uuid */
            session_id?: string | null;
            turn_number?: number | null;
            external_id?: string | null;
        };
        NewRollbackRequest: {
            what: components["schemas"]["RollbackWhatEnum"];
            /** @description An id or a name, as `what` says. */
            source: string;
            /**
             * Format: date-time
             * @description Only from then on.
             */
            since?: string | null;
            /** @default  */
            reason?: string;
            /**
             * @description Only says what would be taken back.
             * @default false
             */
            dry_run?: boolean;
        };
        NewSessionRequest: {
            /** @description Yours; opens the same one again. */
            external_id?: string | null;
            /** @description 1 observe, 2 investigate, 3 remediate. */
            tier?: number;
            user_id?: string | null;
            title?: string;
            /** @description Where it is; 16,384 characters as JSON at most. */
            environment?: {
                [key: string]: unknown;
            } | string;
        };
        /** @description What can be said of a trigger when it is made and later alike. */
        NewTriggerRequest: {
            /**
             * Format: date
             * @description The day, or the first one; in the app's time zone.
             */
            trigger_date: string;
            /**
             * @example 15:00
             * @example 15:00:30
             */
            trigger_time?: string | null;
            /**
             * Format: date
             * @description The last day, of a stretch of days.
             */
            until?: string | null;
            /** @description How it comes round (RFC 5545): FREQ=WEEKLY. */
            rule?: string;
            message: string;
            /** @description What it brings up. */
            memory_ids?: string[];
            user_id?: string | null;
            visibility?: components["schemas"]["VisibilityEnum"];
        };
        NewWebhookRequest: {
            /** @description https, or http in a private network that MEMSITE_WEBHOOK_NETWORKS names. */
            url: string;
            /** @default  */
            description?: string;
            /** @description The kinds that it receives; empty: all. */
            events?: components["schemas"]["EventsEnum"][];
        };
        NullEnum: null;
        OperationHealth: {
            calls: number;
            failed: number;
            tokens: number;
            /** Format: double */
            cost: number;
        };
        /**
         * @description * `operator` - an operator
         *     * `user` - a user
         *     * `assistant` - the agent itself
         *     * `agent` - another agent or program
         *     * `tool` - a tool
         *     * `web` - something read on the web
         * @enum {string}
         */
        OriginEnum: "operator" | "user" | "assistant" | "agent" | "tool" | "web";
        /**
         * @description * `quarantined` - quarantined
         *     * `waiting` - waiting
         * @enum {string}
         */
        OutcomeEnum: "quarantined" | "waiting";
        PassagePage: {
            results: components["schemas"]["PassageShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        PassageShown: {
            /**
             * Format: uuid
             * @description Of a hit.
             */
            id: string;
            /** @description Counted from 1. */
            number: number;
            page: number | null;
            heading: string | null;
            citation: string;
            content: string;
        };
        PastHealthPage: {
            results: components["schemas"]["PastHealthShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        PastHealthShown: {
            /** @description The day of the monthly run. */
            period: string;
            report: components["schemas"]["HealthShown"];
        };
        PatchedAgentChangesRequest: {
            /** @description Revisions keep the name they have. */
            name?: string;
            domain?: string;
            /** @description Of its sessions that name none: 1 observe (as if null), 2 investigate, 3 remediate. */
            tier?: number | null;
            /** @description Of all its live keys, but for those of clients that came by OAuth. */
            scopes?: components["schemas"]["ScopesEnum"][];
            /**
             * @description Brings one back that was deleted, without keys.
             *
             *     * `active` - active
             */
            status?: components["schemas"]["AgentChangesStatusEnum"];
        };
        PatchedAlertRuleChangesRequest: {
            /**
             * Format: double
             * @description From which on it alerts: a share (app_full, budget_spent), a number (digest_failed, quarantine_waiting), minutes (job_overdue), hours (backup_failed). Null: 0.9, 1, 15, 26.
             */
            threshold?: number | null;
            /**
             * Format: uuid
             * @description Who is sent `alert.begun` and `alert.over`, whatever its `events`.
             */
            webhook?: string | null;
            /** @description Who gets a mail. */
            emails?: string[];
            dashboard?: boolean;
            /** @description False: what is open ends, and nothing is sent. */
            enabled?: boolean;
        };
        PatchedAppChangesRequest: {
            name?: string;
            preset?: components["schemas"]["PresetEnum"];
            /**
             * @description active installs it again.
             *
             *     * `active` - Active
             *     * `uninstalled` - Uninstalled
             */
            status?: components["schemas"]["AppStatusEnum"];
            /** @description Policy fields to change; with a preset, on top of it. */
            policy?: components["schemas"]["PatchedPolicyRequest"];
        };
        /** @description What can be said of a memory at creation and later alike. */
        PatchedAppMemoryChangesRequest: {
            /** @description As for a new one. */
            content?: string;
            category?: string;
            subject?: string | null;
            importance?: number;
            /** Format: double */
            confidence?: number;
            tags?: string[];
            pinned?: boolean;
            user_id?: string | null;
            visibility?: components["schemas"]["VisibilityEnum"];
            /**
             * Format: date-time
             * @description From when it holds. A later one of the same matter ends the earlier one.
             */
            valid_from?: string | null;
            /**
             * Format: date-time
             * @description Until when, this moment not included.
             */
            valid_until?: string | null;
            /** @description 16,384 characters as JSON at most. */
            metadata?: {
                [key: string]: unknown;
            };
            status?: components["schemas"]["SettableStatusEnum"];
            /**
             * @description Kept in the history.
             * @default
             */
            reason?: string;
        };
        /** @description What can be said of a memory at creation and later alike. */
        PatchedMemoryChangesRequest: {
            /** @description As for a new one. */
            content?: string;
            category?: string;
            subject?: string | null;
            importance?: number;
            /** Format: double */
            confidence?: number;
            tags?: string[];
            pinned?: boolean;
            user_id?: string | null;
            visibility?: components["schemas"]["VisibilityEnum"];
            /**
             * Format: date-time
             * @description From when it holds. A later one of the same matter ends the earlier one.
             */
            valid_from?: string | null;
            /**
             * Format: date-time
             * @description Until when, this moment not included.
             */
            valid_until?: string | null;
            /** @description 16,384 characters as JSON at most. */
            metadata?: {
                [key: string]: unknown;
            };
            status?: components["schemas"]["SettableStatusEnum"];
        };
        PatchedPolicyRequest: {
            /** @description [MEMORY:…] lines of the agent become memories. */
            capture_markers?: boolean;
            /** @description Facts are extracted from what was said. */
            capture_facts?: boolean;
            /** @description Categories keep a written summary. */
            capture_summaries?: boolean;
            /** @description One digest memory per conversation. */
            capture_digest?: boolean;
            /** @description Categories markers may name. */
            marker_categories?: string[];
            /** @description Secrets in what was said, texts and turns, are marked as such before they are stored. */
            redact_raw?: boolean;
            /** @description What matters here and what is never to be kept, for the model that finds facts. */
            guidance?: string;
            /**
             * Format: double
             * @description A fact that is less useful than this is chatter and not kept.
             */
            useful_above?: number;
            /**
             * Format: double
             * @description A fact that is less verifiable than this is an opinion and not kept.
             */
            verifiable_above?: number;
            /** @description Memories the app may hold. */
            memory_limit?: number;
            /** @description Characters a memory may have. */
            max_characters?: number;
            /** @description Documents the app may hold, besides its memories. */
            document_limit?: number;
            /** @description Memories one agent may write in a minute. */
            writes_per_minute?: number;
            /** @description Days without access until archive, by category. */
            ttl_days?: {
                [key: string]: number;
            };
            /** @description Days without any access until cold archive. */
            cold_after_days?: number;
            /**
             * Format: double
             * @description Confidence of a new memory.
             */
            start_confidence?: number;
            /**
             * Format: double
             * @description Gained when another source says the same.
             */
            reinforce_step?: number;
            /**
             * Format: double
             * @description Gained when the same session says the same.
             */
            same_session_step?: number;
            /**
             * Format: double
             * @description Lost when something says the contrary.
             */
            contradict_step?: number;
            /**
             * Format: double
             * @description Below this a memory is inactive and never injected.
             */
            inactive_below?: number;
            /**
             * Format: double
             * @description Days without confirmation until decay sets in. 0: at once.
             */
            stale_after_days?: number;
            /**
             * Format: double
             * @description Lost per week after that, continuously. 0: nothing decays.
             */
            decay_per_week?: number;
            /**
             * Format: double
             * @description At or above this nothing decays. Empty: whatever its confidence, it does.
             */
            decay_exempt_from?: number | null;
            /**
             * Format: double
             * @description Cosine from which two statements may be the same (a rule still decides).
             */
            dedup_similarity?: number;
            /** @description Whose memories are tagged unreviewed until a person has looked at them. */
            review_origins?: components["schemas"]["OriginEnum"][];
            /** @description Whose memories wait until a person has approved them. */
            approval_origins?: components["schemas"]["OriginEnum"][];
            /** @description What is tagged unreviewed may stand in a prompt. */
            inject_unreviewed?: boolean;
            /**
             * @description What agents may change and delete: all that they see, their own, or none.
             *
             *     * `all` - whatever they see
             *     * `own` - what they wrote themselves
             *     * `none` - nothing: they only add
             */
            agents_edit?: components["schemas"]["AgentsEditEnum"];
            /**
             * @description The ranker.
             *
             *     * `standard` - relevance, importance, age, priority, sentiment and domain
             *     * `confidence` - most confident first
             *     * `product` - similarity × importance × stepped recency
             *     * `dual` - half meaning, half graph, × exponential age
             *     * `recent` - latest updated first
             */
            ranking?: components["schemas"]["RankingEnum"];
            /**
             * Format: double
             * @description Weight of meaning in the dual ranking; the graph has the rest.
             */
            semantic_weight?: number;
            /**
             * Format: double
             * @description λ of the ranking's exp(−λ·days).
             */
            decay_per_day?: number;
            /**
             * Format: double
             * @description Share of the score gained by memories said in the tone of the question.
             */
            sentiment_weight?: number;
            /**
             * Format: double
             * @description Hits with a lower score are left out of search and context, unless a request names another.
             */
            min_score?: number;
            /** @description Summaries of categories answer first, where they can. */
            tiered?: boolean;
            /**
             * Format: double
             * @description Share of the score lost by memories of another domain.
             */
            off_domain_penalty?: number;
            /** @description Shared memories may be read by other apps that share too. */
            share_memories?: boolean;
            /** @description An agent that names no end user is shown nothing that belongs to one. */
            users_apart?: boolean;
            /**
             * @description The session-start block.
             *
             *     * `ops` - by subject, most confident first
             *     * `app` - numbered and dated
             *     * `turn` - one line each, with age and category
             */
            block?: components["schemas"]["BlockEnum"];
            /** @description Tokens of the session-start block, fence and header included. */
            session_budget_tokens?: number;
            /** @description Tokens of the turn block. */
            turn_budget_tokens?: number;
            /** @description Memories in the app block. */
            app_limit?: number;
            /** @description Memories in the turn block. */
            turn_limit?: number;
            /** @description The same when economising. */
            economy_limit?: number;
            /**
             * Format: double
             * @description Share of a block's tokens that quotes from documents may take. 0: none are shown.
             */
            document_share?: number;
            /**
             * Format: double
             * @description Priority gained by an injected memory that was used.
             */
            echo_step?: number;
            /**
             * Format: double
             * @description Priority lost by one that was ignored.
             */
            fizzle_step?: number;
            /**
             * Format: double
             * @description Dollars a day for models; beyond it, learning waits for the next day. 0: none is asked, rules learn. Empty: no limit.
             */
            daily_cost?: number | null;
            /**
             * Format: int64
             * @description Tokens a day for models; beyond it, learning waits for the next day. 0: none is asked, rules learn. Empty: no limit.
             */
            daily_tokens?: number | null;
            /**
             * Format: double
             * @description Below this energy, memory work is deferred. 0: never.
             */
            energy_floor?: number;
            /** @description Of jobs, triggers and dates in texts. */
            time_zone?: string;
        };
        /** @description What can be said of a trigger when it is made and later alike. */
        PatchedTriggerChangesRequest: {
            /** Format: date */
            trigger_date?: string;
            /**
             * @example 15:00
             * @example 15:00:30
             */
            trigger_time?: string | null;
            /**
             * Format: date
             * @description The last day, of a stretch of days.
             */
            until?: string | null;
            /** @description How it comes round (RFC 5545): FREQ=WEEKLY. */
            rule?: string;
            message?: string;
            status?: components["schemas"]["TriggerChangesStatusEnum"];
        };
        PatchedWebhookChangesRequest: {
            url?: string;
            description?: string;
            events?: components["schemas"]["EventsEnum"][];
            is_active?: boolean;
        };
        Policy: {
            /** @description [MEMORY:…] lines of the agent become memories. */
            capture_markers: boolean;
            /** @description Facts are extracted from what was said. */
            capture_facts: boolean;
            /** @description Categories keep a written summary. */
            capture_summaries: boolean;
            /** @description One digest memory per conversation. */
            capture_digest: boolean;
            /** @description Categories markers may name. */
            marker_categories: string[];
            /** @description Secrets in what was said, texts and turns, are marked as such before they are stored. */
            redact_raw: boolean;
            /** @description What matters here and what is never to be kept, for the model that finds facts. */
            guidance: string;
            /**
             * Format: double
             * @description A fact that is less useful than this is chatter and not kept.
             */
            useful_above: number;
            /**
             * Format: double
             * @description A fact that is less verifiable than this is an opinion and not kept.
             */
            verifiable_above: number;
            /** @description Memories the app may hold. */
            memory_limit: number;
            /** @description Characters a memory may have. */
            max_characters: number;
            /** @description Documents the app may hold, besides its memories. */
            document_limit: number;
            /** @description Memories one agent may write in a minute. */
            writes_per_minute: number;
            /** @description Days without access until archive, by category. */
            ttl_days: {
                [key: string]: number;
            };
            /** @description Days without any access until cold archive. */
            cold_after_days: number;
            /**
             * Format: double
             * @description Confidence of a new memory.
             */
            start_confidence: number;
            /**
             * Format: double
             * @description Gained when another source says the same.
             */
            reinforce_step: number;
            /**
             * Format: double
             * @description Gained when the same session says the same.
             */
            same_session_step: number;
            /**
             * Format: double
             * @description Lost when something says the contrary.
             */
            contradict_step: number;
            /**
             * Format: double
             * @description Below this a memory is inactive and never injected.
             */
            inactive_below: number;
            /**
             * Format: double
             * @description Days without confirmation until decay sets in. 0: at once.
             */
            stale_after_days: number;
            /**
             * Format: double
             * @description Lost per week after that, continuously. 0: nothing decays.
             */
            decay_per_week: number;
            /**
             * Format: double
             * @description At or above this nothing decays. Empty: whatever its confidence, it does.
             */
            decay_exempt_from: number | null;
            /**
             * Format: double
             * @description Cosine from which two statements may be the same (a rule still decides).
             */
            dedup_similarity: number;
            /** @description Whose memories are tagged unreviewed until a person has looked at them. */
            review_origins: components["schemas"]["OriginEnum"][];
            /** @description Whose memories wait until a person has approved them. */
            approval_origins: components["schemas"]["OriginEnum"][];
            /** @description What is tagged unreviewed may stand in a prompt. */
            inject_unreviewed: boolean;
            /**
             * @description What agents may change and delete: all that they see, their own, or none.
             *
             *     * `all` - whatever they see
             *     * `own` - what they wrote themselves
             *     * `none` - nothing: they only add
             */
            agents_edit: components["schemas"]["AgentsEditEnum"];
            /**
             * @description The ranker.
             *
             *     * `standard` - relevance, importance, age, priority, sentiment and domain
             *     * `confidence` - most confident first
             *     * `product` - similarity × importance × stepped recency
             *     * `dual` - half meaning, half graph, × exponential age
             *     * `recent` - latest updated first
             */
            ranking: components["schemas"]["RankingEnum"];
            /**
             * Format: double
             * @description Weight of meaning in the dual ranking; the graph has the rest.
             */
            semantic_weight: number;
            /**
             * Format: double
             * @description λ of the ranking's exp(−λ·days).
             */
            decay_per_day: number;
            /**
             * Format: double
             * @description Share of the score gained by memories said in the tone of the question.
             */
            sentiment_weight: number;
            /**
             * Format: double
             * @description Hits with a lower score are left out of search and context, unless a request names another.
             */
            min_score: number;
            /** @description Summaries of categories answer first, where they can. */
            tiered: boolean;
            /**
             * Format: double
             * @description Share of the score lost by memories of another domain.
             */
            off_domain_penalty: number;
            /** @description Shared memories may be read by other apps that share too. */
            share_memories: boolean;
            /** @description An agent that names no end user is shown nothing that belongs to one. */
            users_apart: boolean;
            /**
             * @description The session-start block.
             *
             *     * `ops` - by subject, most confident first
             *     * `app` - numbered and dated
             *     * `turn` - one line each, with age and category
             */
            block: components["schemas"]["BlockEnum"];
            /** @description Tokens of the session-start block, fence and header included. */
            session_budget_tokens: number;
            /** @description Tokens of the turn block. */
            turn_budget_tokens: number;
            /** @description Memories in the app block. */
            app_limit: number;
            /** @description Memories in the turn block. */
            turn_limit: number;
            /** @description The same when economising. */
            economy_limit: number;
            /**
             * Format: double
             * @description Share of a block's tokens that quotes from documents may take. 0: none are shown.
             */
            document_share: number;
            /**
             * Format: double
             * @description Priority gained by an injected memory that was used.
             */
            echo_step: number;
            /**
             * Format: double
             * @description Priority lost by one that was ignored.
             */
            fizzle_step: number;
            /**
             * Format: double
             * @description Dollars a day for models; beyond it, learning waits for the next day. 0: none is asked, rules learn. Empty: no limit.
             */
            daily_cost: number | null;
            /**
             * Format: int64
             * @description Tokens a day for models; beyond it, learning waits for the next day. 0: none is asked, rules learn. Empty: no limit.
             */
            daily_tokens: number | null;
            /**
             * Format: double
             * @description Below this energy, memory work is deferred. 0: never.
             */
            energy_floor: number;
            /** @description Of jobs, triggers and dates in texts. */
            time_zone: string;
        };
        /**
         * @description * `standard` - Standard
         *     * `ops` - Ops
         *     * `assistant` - Assistant
         *     * `knowledge` - Knowledge
         *     * `compact` - Compact
         *     * `strict` - Strict
         * @enum {string}
         */
        PresetEnum: "standard" | "ops" | "assistant" | "knowledge" | "compact" | "strict";
        PreviewAnswer: {
            facts: components["schemas"]["FactShown"][];
            rejections: components["schemas"]["RefusalShown"][];
            made_by: string;
        };
        PreviewQuestionRequest: {
            messages: components["schemas"]["MessageRequest"][];
            user_id?: string | null;
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            code?: string;
            request_id: string;
            errors?: components["schemas"]["ProblemError"][];
        };
        ProblemError: {
            field: string;
            detail: string;
        };
        PurgePage: {
            results: components["schemas"]["PurgeShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        /** @description Counts are of when it was asked for; from then on nobody sees any of it. */
        PurgeShown: {
            /** Format: uuid */
            id: string;
            what: components["schemas"]["PurgeWhatEnum"];
            status: components["schemas"]["PurgeStatusEnum"];
            memories: number;
            sessions: number;
            turns: number;
            resources: number;
            asked_by: string;
            /** Format: date-time */
            asked_at: string;
            /** Format: date-time */
            finished_at: string | null;
        };
        /**
         * @description * `open` - open: hidden from everyone, being deleted
         *     * `done` - Done
         * @enum {string}
         */
        PurgeStatusEnum: "open" | "done";
        /**
         * @description * `app` - everything that the app knows and was told
         *     * `memories` - all memories of the app
         *     * `user` - an end user
         *     * `session` - a session
         * @enum {string}
         */
        PurgeWhatEnum: "app" | "memories" | "user" | "session";
        Purged: {
            success: boolean;
            /** @description Memories. */
            deleted_count: number;
            purge: components["schemas"]["PurgeShown"];
        };
        /**
         * @description * `standard` - relevance, importance, age, priority, sentiment and domain
         *     * `confidence` - most confident first
         *     * `product` - similarity × importance × stepped recency
         *     * `dual` - half meaning, half graph, × exponential age
         *     * `recent` - latest updated first
         * @enum {string}
         */
        RankingEnum: "standard" | "confidence" | "product" | "dual" | "recent";
        RecallHealth: {
            searches: number;
            found: number;
            /**
             * Format: double
             * @description Share of the searches that found something.
             */
            hit_rate: number | null;
            /** @description What answered. */
            by_tier: {
                [key: string]: components["schemas"]["TierHealth"];
            };
            /** Format: double */
            mean_ms: number | null;
        };
        Recalled: {
            /** Format: uuid */
            id: string;
            access_count: number;
            /** Format: date-time */
            accessed_at: string | null;
        };
        Recovered: {
            /** @description 0 when no turn is stored. */
            turn_number: number;
            state: unknown;
            checkpoint: components["schemas"]["TurnShown"] | null;
        };
        RefusalShown: {
            content: string;
            category: string;
            /** @description marker, fact, conflict, quarantine or approval */
            kind: string;
            reason: string;
            scores: {
                [key: string]: number;
            };
        };
        RejectionPage: {
            results: components["schemas"]["RejectionShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        RejectionShown: {
            /** Format: uuid */
            id: string;
            /** @description marker, fact, conflict, quarantine or approval */
            kind: string;
            category: string;
            content: string;
            reason: string;
            scores: {
                [key: string]: number;
            } | null;
            /** @description open, overruled or confirmed */
            decision: string;
            decided_by: string;
            /** Format: date-time */
            decided_at: string | null;
            decision_reason: string;
            /** @description Who said it. */
            origin: string | null;
            agent: string | null;
            /**
             * Format: uuid
             * @description The memory that it would have changed.
             */
            edits_id: string | null;
            /**
             * Format: uuid
             * @description What it became when it was overruled.
             */
            memory_id: string | null;
            /** Format: uuid */
            session_id: string | null;
            /** Format: uuid */
            resource_id: string | null;
            turn_number: number | null;
            /** Format: date-time */
            created_at: string;
        };
        RelationShown: {
            /** Format: uuid */
            memory_id: string;
            content: string;
            /** @description same, contradicts, supersedes or elaborates */
            relation: string;
            reason: string;
        };
        /** @description What an uploader says of a file, but for its tags: a form has them as one text. */
        ReplacementFormRequest: {
            /** @description The name of the file. */
            name?: string;
            /**
             * @description Whose words it has: agent, unless said (docs/trust.md).
             *
             *     * `assistant` - the agent itself
             *     * `agent` - another agent or program
             *     * `tool` - a tool
             *     * `web` - something read on the web
             */
            origin?: components["schemas"]["SayableOriginEnum"];
            /** Format: binary */
            file: string;
            /** @description With commas between. */
            tags?: string;
        };
        ReplayShown: {
            turn_number: number;
            state: unknown;
            turns: components["schemas"]["TurnShown"][];
        };
        ResourcePage: {
            results: components["schemas"]["ResourceShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        ResourceShown: {
            /** Format: uuid */
            id: string;
            role: string;
            /** @description Who said it, where that is not the user or the agent. */
            name: string | null;
            raw_content: string;
            content_type: string;
            /** Format: date-time */
            content_at: string;
            /** Format: uuid */
            conversation: string | null;
            turn_number: number | null;
            /** Format: date-time */
            created_at: string;
        };
        Reviewed: {
            reviewed: number;
            /** @description How many were left as they are, by why. */
            left: {
                [key: string]: number;
            };
        };
        RevisionPage: {
            results: components["schemas"]["RevisionShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        RevisionShown: {
            number: number;
            action: string;
            before: {
                [key: string]: unknown;
            };
            after: {
                [key: string]: unknown;
            };
            actor: string;
            reason: string;
            /** Format: date-time */
            created_at: string;
        };
        RewriteAsked: {
            category: string;
            due: boolean;
        };
        /**
         * @description * `user` - User
         *     * `assistant` - Assistant
         *     * `system` - System
         *     * `tool` - Tool
         * @enum {string}
         */
        RoleEnum: "user" | "assistant" | "system" | "tool";
        RollbackForeseen: {
            memories: number;
            sessions: number;
            /** @description Of other memories, which would be undone; counted up to 200. */
            changes: number;
            /** @description The latest. */
            samples: components["schemas"]["SampleShown"][];
        };
        RollbackPage: {
            results: components["schemas"]["RollbackShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        RollbackShown: {
            /** Format: uuid */
            id: string;
            what: components["schemas"]["RollbackWhatEnum"];
            source: string;
            /** Format: date-time */
            since: string | null;
            reason: string;
            status: components["schemas"]["RollbackStatusEnum"];
            /** @description Memories `withdrawn`, changes of others `undone`, so far. */
            counts: {
                [key: string]: number;
            };
            asked_by: string;
            /** Format: date-time */
            asked_at: string;
            /** Format: date-time */
            finished_at: string | null;
        };
        /**
         * @description * `open` - open: being taken back
         *     * `done` - Done
         * @enum {string}
         */
        RollbackStatusEnum: "open" | "done";
        /**
         * @description * `session` - a session, by its id
         *     * `resource` - a text, by its id
         *     * `agent` - an agent, by its name
         *     * `origin` - whose words they are: web, tool …
         *     * `import` - a file of another system that was taken in, by its id
         *     * `bridge` - a chat's bridge, by its name
         * @enum {string}
         */
        RollbackWhatEnum: "session" | "resource" | "agent" | "origin" | "import" | "bridge";
        RoomInDollars: {
            /**
             * Format: double
             * @description Of a day. Null: none.
             */
            limit: number | null;
            /**
             * Format: double
             * @description Today.
             */
            spent: number;
            /** Format: double */
            left: number | null;
        };
        RoomInTokens: {
            /** @description Of a day. Null: none. */
            limit: number | null;
            /** @description Today. */
            spent: number;
            left: number | null;
        };
        RunPage: {
            results: components["schemas"]["RunShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        RunShown: {
            /** Format: uuid */
            id: string;
            job: string;
            /** @description Which app it is for; null where it is for the whole site. */
            app_id: string | null;
            /** @description What it is for: a date on the app's calendar, or a moment. */
            period: string;
            status: components["schemas"]["RunShownStatusEnum"];
            /** @description Who set it going first. */
            fired_by: string;
            attempts: number;
            /** @description What it has done so far. */
            counts: {
                [key: string]: number;
            };
            /**
             * Format: double
             * @description Of work, all attempts together.
             */
            seconds: number;
            /** @description Why it failed, or what did it instead. */
            reason: string;
            /** Format: date-time */
            due_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
        };
        /**
         * @description * `pending` - waits for a worker
         *     * `running` - Running
         *     * `done` - Done
         *     * `failed` - failed: will be tried again
         *     * `dead` - given up: retry by hand
         *     * `stopped` - stopped by hand
         *     * `covered` - done by a later one
         * @enum {string}
         */
        RunShownStatusEnum: "pending" | "running" | "done" | "failed" | "dead" | "stopped" | "covered";
        SampleShown: {
            /** Format: uuid */
            id: string;
            content: string;
        };
        /**
         * @description * `assistant` - the agent itself
         *     * `agent` - another agent or program
         *     * `tool` - a tool
         *     * `web` - something read on the web
         * @enum {string}
         */
        SayableOriginEnum: "assistant" | "agent" | "tool" | "web";
        /**
         * @description * `app` - this app's memories
         *     * `shared` - also what sharing apps share
         * @enum {string}
         */
        ScopeEnum: "app" | "shared";
        /**
         * @description * `read` - Read
         *     * `create` - create: only adds
         *     * `write` - Write
         *     * `operator` - Operator
         * @enum {string}
         */
        ScopesEnum: "read" | "create" | "write" | "operator";
        /**
         * @description * `sum` - sum
         *     * `product` - product
         * @enum {string}
         */
        ScoresCombinedEnum: "sum" | "product";
        SearchAnswer: {
            results: components["schemas"]["HitShown"][];
            /** @description What answered, if tier_answered is summaries; if coverage is summary, of what most results are. */
            summaries: components["schemas"]["SummaryTold"][];
            /** @description The cursor of the next page. */
            next: string | null;
            /** @description summaries, items or none. */
            tier_answered: string;
            /**
             * @description Of a question over many memories how it was answered: order (of time), summary, count, list.
             *
             *     * `order` - order
             *     * `summary` - summary
             *     * `count` - count
             *     * `list` - list
             */
            coverage: components["schemas"]["CoverageEnum"] | components["schemas"]["NullEnum"];
            /** Format: double */
            took_ms: number;
            /** @description Retrievers that could not answer. */
            degraded: string[];
            /** @description null: no time is asked about. */
            asked_time: components["schemas"]["AskedTimeShown"] | null;
            /**
             * @description With `explain`: what of a hit's parts its `formula_score` is.
             *
             *     * `sum` - sum
             *     * `product` - product
             */
            scores_combined?: components["schemas"]["ScoresCombinedEnum"];
        };
        /** @description The times that a search or a context may ask about; a range may be open at one end. */
        SearchQuestionRequest: {
            /**
             * Format: date-time
             * @description Only what held at this time, though it may have ended since.
             */
            valid_at?: string | null;
            /**
             * Format: date-time
             * @description Only what held at some time from here on.
             */
            valid_from?: string | null;
            /**
             * Format: date-time
             * @description Only what held at some time before this.
             */
            valid_until?: string | null;
            /**
             * Format: date-time
             * @description Only what was stored from here on.
             */
            since?: string | null;
            /**
             * Format: date-time
             * @description Only what was stored before this.
             */
            until?: string | null;
            query: string;
            /** @default 10 */
            limit?: number;
            /** @default auto */
            mode?: components["schemas"]["ModeEnum"];
            /**
             * Format: double
             * @description Hits with a lower score are left out; by default those below the policy's `min_score`.
             */
            min_score?: number | null;
            user_id?: string | null;
            /** @description and, or, not, fields and operators: docs/search.md. */
            filters?: {
                [key: string]: unknown;
            } | null;
            /** @default false */
            explain?: boolean;
            /**
             * @description Counts the search as an access of what it finds.
             * @default true
             */
            touch?: boolean;
            /** @default app */
            scope?: components["schemas"]["ScopeEnum"];
            /** @default beside */
            documents?: components["schemas"]["DocumentsEnum"];
            /**
             * Format: date-time
             * @description What was known at this time.
             */
            as_of?: string | null;
            /** @description `next` of the page before this one. */
            cursor?: string | null;
        };
        SearchesOnDay: {
            /** Format: date */
            day: string;
            searches: number;
            /** @description Those that found something. */
            found: number;
        };
        Secret: {
            /** @description The new one. A webhook's old one signs beside it for a day. */
            secret: string;
        };
        ServerVersion: {
            /** @description Always `memsite`. */
            name: string;
            /** @description The server's version, as in CHANGELOG.md. */
            version: string;
            /** @description The version of the API, as in its addresses. */
            api: string;
        };
        SessionEnded: {
            status: string;
            /** @description Texts whose facts, and memories whose vector, are still to come. */
            pending: number;
        };
        SessionPage: {
            results: components["schemas"]["SessionShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        SessionShown: {
            /** Format: uuid */
            id: string;
            external_id: string | null;
            agent: string;
            title: string;
            tier: number;
            user_id: string | null;
            environment: {
                [key: string]: unknown;
            };
            status: string;
            end_reason: string;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            heartbeat_at: string;
            /** Format: date-time */
            ended_at: string | null;
        };
        SessionStarted: {
            /** Format: uuid */
            id: string;
            external_id: string | null;
            agent: string;
            title: string;
            tier: number;
            user_id: string | null;
            environment: {
                [key: string]: unknown;
            };
            status: string;
            end_reason: string;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            heartbeat_at: string;
            /** Format: date-time */
            ended_at: string | null;
            context: components["schemas"]["Greeting"];
            jobs_run: string[];
        };
        /**
         * @description * `active` - Active
         *     * `inactive` - inactive: confidence too low
         *     * `archived` - Archived
         * @enum {string}
         */
        SettableStatusEnum: "active" | "inactive" | "archived";
        StatsShown: {
            app_id: string;
            /** Format: date-time */
            at: string;
            /**
             * Format: date
             * @description The first of the days; `until` is today.
             */
            since: string;
            /** Format: date */
            until: string;
            /** @description Where these days begin at midnight: the app's. */
            time_zone: string;
            memories: components["schemas"]["MemoryCounts"];
            /** @description By status. */
            sessions: {
                [key: string]: number;
            };
            /** @description By what has become of learning from them. */
            texts: {
                [key: string]: number;
            };
            links: number;
            entities: number;
            /** @description Active ones. */
            lessons: number;
            /** @description By status. */
            triggers: {
                [key: string]: number;
            };
            /** @description What was refused, and nobody has decided about. */
            to_review: number;
            agents: number;
            growth: components["schemas"]["Growth"];
            compactions: components["schemas"]["Compactions"];
            conversations: components["schemas"]["Conversations"];
            energy: components["schemas"]["EnergyUsed"];
            apps: components["schemas"]["UsedApps"];
            access: components["schemas"]["Access"];
        };
        StreamReport: {
            created: number;
            reinforced: number;
            /** @description Memories that lost confidence. */
            contradicted: number;
            /** @description Markers that only repeated what was injected. */
            echoed: number;
            rejected: number;
            events: number;
            lines: number;
            turns: number[];
            /** @description The first 1,000. */
            errors: components["schemas"]["BadLineShown"][];
            error_count: number;
        };
        SummaryShown: {
            category: string;
            version: number | null;
            /** @description Markdown. */
            content: string;
            /** @description The model that wrote it, such as openai:gpt-x, or rules. */
            made_by: string;
            /** @description Memories that it was written from. */
            memory_count: number;
            /** Format: date-time */
            created_at: string;
            /** @description False: written by rule for this answer, and without a version. */
            stored: boolean;
        };
        SummaryTold: {
            category: string;
            version: number;
            /** @description The lines that answer; the results are their memories. */
            passages: string[];
            /** @description The memory of each line. */
            sources: string[];
        };
        SummaryVersionShown: {
            category: string;
            version: number;
            /** @description The model that wrote it, such as openai:gpt-x, or rules. */
            made_by: string;
            /** @description Memories that it was written from. */
            memory_count: number;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When a newer version took its place.
             */
            archived_at: string | null;
            /** @description Markdown. */
            content: string;
        };
        Sums: {
            calls: number;
            /** @description Calls without an answer that could be used. */
            failed: number;
            input_tokens: number;
            output_tokens: number;
            /** @description Both. */
            tokens: number;
            /**
             * Format: double
             * @description US dollars, of the calls whose price is known.
             */
            cost: number;
            /** @description Calls that are not in `cost`. */
            unpriced: number;
        };
        SumsOfDay: {
            calls: number;
            /** @description Calls without an answer that could be used. */
            failed: number;
            input_tokens: number;
            output_tokens: number;
            /** @description Both. */
            tokens: number;
            /**
             * Format: double
             * @description US dollars, of the calls whose price is known.
             */
            cost: number;
            /** @description Calls that are not in `cost`. */
            unpriced: number;
            /** Format: date */
            day: string;
        };
        SumsOfModel: {
            calls: number;
            /** @description Calls without an answer that could be used. */
            failed: number;
            input_tokens: number;
            output_tokens: number;
            /** @description Both. */
            tokens: number;
            /**
             * Format: double
             * @description US dollars, of the calls whose price is known.
             */
            cost: number;
            /** @description Calls that are not in `cost`. */
            unpriced: number;
            provider: string | null;
            model: string;
        };
        SumsOfOperation: {
            calls: number;
            /** @description Calls without an answer that could be used. */
            failed: number;
            input_tokens: number;
            output_tokens: number;
            /** @description Both. */
            tokens: number;
            /**
             * Format: double
             * @description US dollars, of the calls whose price is known.
             */
            cost: number;
            /** @description Calls that are not in `cost`. */
            unpriced: number;
            operation: string;
        };
        SurveyShown: {
            /** @description By type: what is new, what was known already, what was left out; and how much of it was changed. */
            counts: {
                [key: string]: components["schemas"]["Counted"];
            };
        };
        TierHealth: {
            searches: number;
            /** Format: double */
            share: number | null;
        };
        ToolResult: {
            /** @description What to tell the model, word for word. */
            content: string;
            /** @description As the block `tool_result` has it. */
            is_error: boolean;
        };
        /**
         * @description * `waiting` - Waiting
         *     * `cancelled` - Cancelled
         * @enum {string}
         */
        TriggerChangesStatusEnum: "waiting" | "cancelled";
        TriggerPage: {
            results: components["schemas"]["TriggerShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        TriggerShown: {
            /** Format: uuid */
            id: string;
            /** Format: date */
            trigger_date: string;
            /**
             * @example 15:00
             * @example 15:00:30
             */
            trigger_time: string | null;
            /** Format: date */
            until: string | null;
            recurring: boolean;
            rule: string;
            /** @description The time as it was said. */
            text: string;
            /** @description The sentence around it. */
            message: string;
            status: string;
            /** @description Why it was called off, if not by hand. */
            reason: string | null;
            user_id: string | null;
            visibility: string;
            /** Format: date-time */
            created_at: string;
            memories: components["schemas"]["MemoryShown"][];
        };
        /**
         * @description * `trusted` - trusted: a user or an operator said it
         *     * `reviewed` - reviewed: a person has looked at it
         *     * `unreviewed` - unreviewed: nobody has looked at it
         * @enum {string}
         */
        TrustLevelEnum: "trusted" | "reviewed" | "unreviewed";
        TurnPage: {
            results: components["schemas"]["TurnShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        TurnShown: {
            /** @default  */
            user_input?: string;
            tool_calls?: (unknown | null)[];
            /** @default  */
            llm_output?: string;
            internal_state?: {
                [key: string]: unknown;
            };
            turn_number: number;
            /** Format: date-time */
            created_at: string;
        };
        TurnStored: {
            /** @default  */
            user_input?: string;
            tool_calls?: (unknown | null)[];
            /** @default  */
            llm_output?: string;
            internal_state?: {
                [key: string]: unknown;
            };
            turn_number: number;
            /** Format: date-time */
            created_at: string;
            captured: components["schemas"]["CaptureCounts"];
        };
        UndoneRequest: {
            /** @description The number of a revision: as it was after that, but for its status. Without it, the last change. */
            to?: number | null;
        };
        UnitsOfOperation: {
            operation: string;
            calls: number;
            /** Format: double */
            units: number;
        };
        UnitsOnDay: {
            /** Format: date */
            day: string;
            /** Format: double */
            units: number;
        };
        /** @description What an uploader says of a file, but for its tags: a form has them as one text. */
        UploadFormRequest: {
            /** @description The name of the file. */
            name?: string;
            /**
             * @description Whose words it has: agent, unless said (docs/trust.md).
             *
             *     * `assistant` - the agent itself
             *     * `agent` - another agent or program
             *     * `tool` - a tool
             *     * `web` - something read on the web
             */
            origin?: components["schemas"]["SayableOriginEnum"];
            /** @description Your own name for it: the same again replaces the file. */
            external_id?: string;
            /** @description The end user it is of. */
            user_id?: string;
            /** Format: binary */
            file: string;
            /** @description With commas between. */
            tags?: string;
        };
        UsageShown: {
            app_id: string;
            /** Format: date-time */
            at: string;
            /**
             * Format: date
             * @description The first of the days; `until` is today.
             */
            since: string;
            /** Format: date */
            until: string;
            /** @description Where these days begin at midnight: the app's. */
            time_zone: string;
            total: components["schemas"]["Sums"];
            /** @description Every day, the first first. */
            by_day: components["schemas"]["SumsOfDay"][];
            by_operation: components["schemas"]["SumsOfOperation"][];
            by_model: components["schemas"]["SumsOfModel"][];
            energy: components["schemas"]["EnergyUsed"];
            budget: components["schemas"]["Budget"];
        };
        UseHealth: {
            injected: number;
            used: number;
            ignored: number;
            /**
             * Format: double
             * @description Share used of what has been judged.
             */
            echo_rate: number | null;
        };
        UsedApps: {
            /** @description Of the apps that the caller may see. */
            active: number;
            /** @description Of these, how many hold any memory. */
            with_memories: number;
            /** Format: double */
            share: number | null;
        };
        VersionPage: {
            results: components["schemas"]["VersionShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        VersionShown: {
            category: string;
            version: number;
            /** @description The model that wrote it, such as openai:gpt-x, or rules. */
            made_by: string;
            /** @description Memories that it was written from. */
            memory_count: number;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When a newer version took its place.
             */
            archived_at: string | null;
        };
        /**
         * @description * `agent` - only the agent that wrote it
         *     * `app` - every agent of the app
         *     * `shared` - apps that share, too
         * @enum {string}
         */
        VisibilityEnum: "agent" | "app" | "shared";
        WebhookPage: {
            results: components["schemas"]["WebhookShown"][];
            /** @description Null at the end. */
            next: string | null;
            /** @description Null at the end. */
            previous: string | null;
        };
        WebhookShown: {
            /** Format: uuid */
            id: string;
            url: string;
            description: string;
            events: string[];
            is_active: boolean;
            /** @description Why it was switched off by itself. */
            reason: string;
            /** Format: date-time */
            created_at: string;
        };
        WebhookWithSecret: {
            /** Format: uuid */
            id: string;
            url: string;
            description: string;
            events: string[];
            is_active: boolean;
            /** @description Why it was switched off by itself. */
            reason: string;
            /** Format: date-time */
            created_at: string;
            /** @description For checking signatures (Standard Webhooks). Null when the answer is repeated. */
            secret: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    list_all_alerts: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                status?: "open" | "over";
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
                    "application/json": components["schemas"]["AlertPage"];
                };
            };
        };
    };
    acknowledge_any_alert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["AlertShown"];
                };
            };
        };
    };
    list_site_alert_rules: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
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
                    "application/json": components["schemas"]["AlertRulePage"];
                };
            };
        };
    };
    create_site_alert_rule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAlertRuleRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRuleShown"];
                };
            };
        };
    };
    get_site_alert_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["AlertRuleShown"];
                };
            };
        };
    };
    delete_site_alert_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    change_site_alert_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedAlertRuleChangesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRuleShown"];
                };
            };
        };
    };
    list_apps: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
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
                    "application/json": components["schemas"]["AppCountedPage"];
                };
            };
        };
    };
    create_app: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAppRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppShown"];
                };
            };
        };
    };
    get_app: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["AppShown"];
                };
            };
        };
    };
    uninstall_app: {
        parameters: {
            query?: {
                /** @description Also delete what it knows and was told. */
                purge_memories?: boolean;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    change_app: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedAppChangesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppShown"];
                };
            };
        };
    };
    list_agents: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                status?: "active" | "deleted";
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["AgentPage"];
                };
            };
        };
    };
    create_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAgentRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWithKey"];
                };
            };
        };
    };
    get_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                name: string;
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
                    "application/json": components["schemas"]["AgentShown"];
                };
            };
        };
    };
    delete_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                name: string;
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
                    "application/json": components["schemas"]["AgentShown"];
                };
            };
        };
    };
    change_agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedAgentChangesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentShown"];
                };
            };
        };
    };
    list_keys: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
                name: string;
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
                    "application/json": components["schemas"]["KeyPage"];
                };
            };
        };
    };
    create_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewKeyRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWithKey"];
                };
            };
        };
    };
    list_alerts: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                status?: "open" | "over";
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["AlertPage"];
                };
            };
        };
    };
    acknowledge_alert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["AlertShown"];
                };
            };
        };
    };
    list_alert_rules: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["AlertRulePage"];
                };
            };
        };
    };
    create_alert_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAlertRuleRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRuleShown"];
                };
            };
        };
    };
    get_alert_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["AlertRuleShown"];
                };
            };
        };
    };
    delete_alert_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    change_alert_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedAlertRuleChangesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRuleShown"];
                };
            };
        };
    };
    list_bridges: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["BridgePage"];
                };
            };
        };
    };
    create_bridge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBridgeRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BridgeWithSecret"];
                };
            };
        };
    };
    delete_bridge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    renew_bridge_secret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["Secret"];
                };
            };
        };
    };
    list_app_cooldowns: {
        parameters: {
            query?: {
                /** @description Of the agent of this name. */
                agent?: string;
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["CooldownPage"];
                };
            };
        };
    };
    lift_app_cooldown: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    replay_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryShown"];
                };
            };
        };
    };
    list_app_events: {
        parameters: {
            query?: {
                /** @description Of the agent of this name. */
                agent?: string;
                /** @description From `next` or `previous`. */
                cursor?: string;
                level?: "critical" | "error" | "info" | "warning";
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                service?: string;
                session_id?: string;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    export_app: {
        parameters: {
            query?: {
                /** @description Only what this end user said, and what is known of them. */
                user_id?: string;
                /** @description With the vectors of memories. */
                vectors?: boolean;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/x-ndjson": string;
                };
            };
        };
    };
    export_app_as_markdown: {
        parameters: {
            query?: {
                /** @description Only what this end user said, and what is known of them. */
                user_id?: string;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/zip": string;
                };
            };
        };
    };
    get_health_report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["HealthShown"];
                };
            };
        };
    };
    get_health_report_as_text: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
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
                    "text/markdown": string;
                };
            };
        };
    };
    list_health_reports: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["PastHealthPage"];
                };
            };
        };
    };
    import_into_app: {
        parameters: {
            query?: {
                /** @description Whose conversations they become: import-SOURCE unless said. */
                agent?: string;
                /** @description Only print what the file would bring. */
                dry_run?: boolean;
                /** @description What has written the file. */
                source?: "chatgpt" | "claude" | "markdown" | "mem0" | "memsite";
                /** @description Believe an app's file that this server has not signed in who said and reviewed what. Operators only, not agents with the scope `operator`. */
                trust?: boolean;
                /** @description The end user they were with, where the file does not tell. */
                user_id?: string;
            };
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SurveyShown"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportShown"];
                };
            };
        };
    };
    list_imports: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["ImportPage"];
                };
            };
        };
    };
    get_import: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["ImportShown"];
                };
            };
        };
    };
    list_app_memories: {
        parameters: {
            query?: {
                /** @description Of the agent of this name. */
                agent?: string;
                category?: string;
                /** @description From `next` or `previous`. */
                cursor?: string;
                external_id?: string;
                kind?: "conversation" | "decision" | "fact" | "general" | "insight" | "lesson" | "preference" | "project";
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                origin?: "agent" | "assistant" | "operator" | "tool" | "user" | "web";
                pinned?: "false" | "true";
                session_id?: string;
                status?: "active" | "archived" | "cold" | "inactive" | "superseded" | "withdrawn";
                subject?: string;
                /** @description Only what has this tag, as it stands. */
                tag?: string;
                trust_level?: "reviewed" | "trusted" | "unreviewed";
                user_id?: string;
                /** @description Only what held at this time, superseded or not. */
                valid_at?: string;
                /** @description Only what held at some time from here on. */
                valid_from?: string;
                /** @description Only what held at some time before this. */
                valid_until?: string;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["MemoryPage"];
                };
            };
        };
    };
    create_app_memory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAppMemoryRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppMemoryStored"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppMemoryStored"];
                };
            };
        };
    };
    delete_app_memories: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    get_app_memory: {
        parameters: {
            query?: {
                /** @description As it was at this time. */
                as_of?: string;
            };
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["MemoryShown"];
                };
            };
        };
    };
    delete_app_memory: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag, or several with commas between: only if the memory is still that version. */
                "If-Match"?: string;
            };
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    change_app_memory: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag, or several with commas between: only if the memory is still that version. */
                "If-Match"?: string;
            };
            path: {
                app_id: string;
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedAppMemoryChangesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryShown"];
                };
            };
        };
    };
    list_app_revisions: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["RevisionPage"];
                };
            };
        };
    };
    undo_app_memory: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag, or several with commas between: only if the memory is still that version. */
                "If-Match"?: string;
            };
            path: {
                app_id: string;
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UndoneRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryShown"];
                };
            };
        };
    };
    change_app_memories: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkChangeRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManyChanged"];
                };
            };
        };
    };
    merge_app_memories: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryShown"];
                };
            };
        };
    };
    review_memories: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reviewed"];
                };
            };
        };
    };
    list_purges: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["PurgePage"];
                };
            };
        };
    };
    list_app_rejections: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                decision?: "confirmed" | "open" | "overruled";
                kind?: "approval" | "conflict" | "fact" | "marker" | "quarantine";
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["RejectionPage"];
                };
            };
        };
    };
    decide_rejections: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decided"];
                };
            };
        };
    };
    list_rollbacks: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["RollbackPage"];
                };
            };
        };
    };
    roll_back: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRollbackRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RollbackForeseen"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RollbackShown"];
                };
            };
        };
    };
    list_app_sessions: {
        parameters: {
            query?: {
                /** @description Of the agent of this name. */
                agent?: string;
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                status?: "active" | "ended";
                user_id?: string;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
        };
    };
    get_app_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["SessionShown"];
                };
            };
        };
    };
    delete_app_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["Purged"];
                };
            };
        };
    };
    get_stats: {
        parameters: {
            query?: {
                /** @description So many days of the app, today the last: 30 unless said. */
                days?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["StatsShown"];
                };
            };
        };
    };
    get_usage: {
        parameters: {
            query?: {
                /** @description So many days of the app, today the last: 30 unless said. */
                days?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["UsageShown"];
                };
            };
        };
    };
    erase_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                user_id: string;
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
                    "application/json": components["schemas"]["Purged"];
                };
            };
        };
    };
    list_webhooks: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                app_id: string;
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
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
        };
    };
    create_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhookRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    get_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["WebhookShown"];
                };
            };
        };
    };
    delete_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    change_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedWebhookChangesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookShown"];
                };
            };
        };
    };
    list_deliveries: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                status?: "dead" | "delivered" | "waiting";
            };
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
        };
    };
    renew_webhook_secret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
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
                    "application/json": components["schemas"]["Secret"];
                };
            };
        };
    };
    test_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                app_id: string;
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryShown"];
                };
            };
        };
    };
    list_categories: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                /** @description Of this end user; without it, of nobody in particular. */
                user_id?: string;
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
                    "application/json": components["schemas"]["CategoryPage"];
                };
            };
        };
    };
    get_category: {
        parameters: {
            query?: {
                /** @description Of this end user; without it, of nobody in particular. */
                user_id?: string;
            };
            header?: never;
            path: {
                name: string;
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
                    "application/json": components["schemas"]["SummaryShown"];
                };
            };
        };
    };
    get_category_text: {
        parameters: {
            query?: {
                /** @description Of this end user; without it, of nobody in particular. */
                user_id?: string;
            };
            header?: never;
            path: {
                name: string;
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
                    "text/markdown": string;
                };
            };
        };
    };
    compare_category_versions: {
        parameters: {
            query: {
                from: number;
                to: number;
                /** @description Of this end user; without it, of nobody in particular. */
                user_id?: string;
            };
            header?: never;
            path: {
                name: string;
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
                    "text/x-diff": string;
                };
            };
        };
    };
    rewrite_category: {
        parameters: {
            query?: {
                /** @description Of this end user; without it, of nobody in particular. */
                user_id?: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RewriteAsked"];
                };
            };
        };
    };
    list_category_versions: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                /** @description Of this end user; without it, of nobody in particular. */
                user_id?: string;
            };
            header?: never;
            path: {
                name: string;
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
                    "application/json": components["schemas"]["VersionPage"];
                };
            };
        };
    };
    get_category_version: {
        parameters: {
            query?: {
                /** @description Of this end user; without it, of nobody in particular. */
                user_id?: string;
            };
            header?: never;
            path: {
                name: string;
                number: number;
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
                    "application/json": components["schemas"]["SummaryVersionShown"];
                };
            };
        };
    };
    get_context: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ContextQuestionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextAnswer"];
                };
            };
        };
    };
    list_cooldowns: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
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
                    "application/json": components["schemas"]["CooldownPage"];
                };
            };
        };
    };
    report_cooldown: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCooldownRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CooldownShown"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CooldownShown"];
                };
            };
        };
    };
    lift_cooldown: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    list_documents: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                status?: "failed" | "ready" | "waiting";
                user_id?: string;
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
                    "application/json": components["schemas"]["DocumentPage"];
                };
            };
        };
    };
    create_document: {
        parameters: {
            query?: {
                /** @description Your own name for it: the same again replaces the file. */
                external_id?: string;
                /** @description The name of the file, where the body is the file itself. */
                name?: string;
                /** @description Whose words it has. */
                origin?: "agent" | "assistant" | "tool" | "web";
                /** @description With commas between. */
                tags?: string;
                /** @description The end user it is of. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "multipart/form-data": components["schemas"]["UploadFormRequest"];
                "application/octet-stream": string;
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentShown"];
                };
            };
        };
    };
    get_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["DocumentShown"];
                };
            };
        };
    };
    replace_document: {
        parameters: {
            query?: {
                /** @description The name of the file, where the body is the file itself. */
                name?: string;
                /** @description Whose words it has. */
                origin?: "agent" | "assistant" | "tool" | "web";
                /** @description With commas between. */
                tags?: string;
            };
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "multipart/form-data": components["schemas"]["ReplacementFormRequest"];
                "application/octet-stream": string;
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentShown"];
                };
            };
        };
    };
    delete_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    list_passages: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["PassagePage"];
                };
            };
        };
    };
    get_energy: {
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
                    "application/json": components["schemas"]["EnergyNoted"];
                };
            };
        };
    };
    set_energy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnergyLevelRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnergyNoted"];
                };
            };
        };
    };
    get_consumed_energy: {
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
                    "application/json": components["schemas"]["EnergyConsumed"];
                };
            };
        };
    };
    list_entities: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                kind?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                name?: string;
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
                    "application/json": components["schemas"]["EntityPage"];
                };
            };
        };
    };
    list_entity_memories: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["MemoryPage"];
                };
            };
        };
    };
    list_events: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                level?: "critical" | "error" | "info" | "warning";
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                service?: string;
                session_id?: string;
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
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    list_extractions: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                session_id?: string;
                status?: "dead" | "done" | "failed" | "pending" | "running";
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
                    "application/json": components["schemas"]["ExtractionPage"];
                };
            };
        };
    };
    retry_extraction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExtractionShown"];
                };
            };
        };
    };
    preview_extraction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewQuestionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewAnswer"];
                };
            };
        };
    };
    claude_code_hook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookEventRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookAnswer"];
                };
            };
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                /** @description Of this app. Without it, of the key's app or of the whole site. */
                app_id?: string;
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
                    "application/json": components["schemas"]["JobsShown"];
                };
            };
        };
    };
    run_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["JobFiredRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobAnswer"];
                };
            };
        };
    };
    list_job_runs: {
        parameters: {
            query?: {
                /** @description Of this app. Without it, of the key's app or of the whole site. */
                app_id?: string;
                /** @description From `next` or `previous`. */
                cursor?: string;
                job?: "alerts" | "backup" | "decay" | "documents" | "embedding" | "extraction" | "flush" | "housekeeping" | "imports" | "limit" | "monthly" | "nightly" | "pgvector" | "purge" | "reembedding" | "rollbacks" | "summaries" | "sweep" | "triggers" | "webhooks" | "weekly";
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                status?: "covered" | "dead" | "done" | "failed" | "pending" | "running" | "stopped";
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
                    "application/json": components["schemas"]["RunPage"];
                };
            };
        };
    };
    retry_job_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
        };
    };
    stop_job_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunShown"];
                };
            };
        };
    };
    revoke_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                prefix: string;
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
                    "application/json": components["schemas"]["KeyShown"];
                };
            };
        };
    };
    list_lessons: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                user_id?: string;
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
                    "application/json": components["schemas"]["MemoryPage"];
                };
            };
        };
    };
    get_lessons_file: {
        parameters: {
            query?: {
                user_id?: string;
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
                    "text/markdown": string;
                };
            };
        };
    };
    list_memories: {
        parameters: {
            query?: {
                category?: string;
                /** @description From `next` or `previous`. */
                cursor?: string;
                external_id?: string;
                kind?: "conversation" | "decision" | "fact" | "general" | "insight" | "lesson" | "preference" | "project";
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                origin?: "agent" | "assistant" | "operator" | "tool" | "user" | "web";
                pinned?: "false" | "true";
                session_id?: string;
                status?: "active" | "archived" | "cold" | "inactive" | "superseded" | "withdrawn";
                subject?: string;
                /** @description Only what has this tag, as it stands. */
                tag?: string;
                trust_level?: "reviewed" | "trusted" | "unreviewed";
                user_id?: string;
                /** @description Only what held at this time, superseded or not. */
                valid_at?: string;
                /** @description Only what held at some time from here on. */
                valid_from?: string;
                /** @description Only what held at some time before this. */
                valid_until?: string;
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
                    "application/json": components["schemas"]["MemoryPage"];
                };
            };
        };
    };
    create_memory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMemoryOnceRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryStored"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryStored"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryHeld"];
                };
            };
        };
    };
    get_memory: {
        parameters: {
            query?: {
                /** @description As it was at this time. */
                as_of?: string;
            };
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["MemoryShown"];
                };
            };
        };
    };
    delete_memory: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag, or several with commas between: only if the memory is still that version. */
                "If-Match"?: string;
            };
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    change_memory: {
        parameters: {
            query?: never;
            header?: {
                /** @description An ETag, or several with commas between: only if the memory is still that version. */
                "If-Match"?: string;
            };
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedMemoryChangesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryShown"];
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryHeld"];
                };
            };
        };
    };
    list_revisions: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["RevisionPage"];
                };
            };
        };
    };
    list_links: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["LinkPage"];
                };
            };
        };
    };
    create_link: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLinkRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkShown"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkShown"];
                };
            };
        };
    };
    create_memories: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryBatchRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
        };
    };
    list_changes: {
        parameters: {
            query?: {
                /** @description A `last` of before; without it, from now on. */
                since?: number;
                /** @description Wait so many seconds for something new. */
                wait?: number;
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
                    "application/json": components["schemas"]["ChangesShown"];
                    "text/event-stream": string;
                };
            };
            /** @description `since` is beyond the app's last change: begin anew with a full read. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_memories: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IdsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    search_memories: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchQuestionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchAnswer"];
                };
            };
        };
    };
    get_prompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tier: number;
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
                    "text/markdown": string;
                };
            };
        };
    };
    list_rejections: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                decision?: "confirmed" | "open" | "overruled";
                kind?: "approval" | "conflict" | "fact" | "marker" | "quarantine";
                /** @description Rows of a page: 50 unless said. */
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
                    "application/json": components["schemas"]["RejectionPage"];
                };
            };
        };
    };
    overrule_rejection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["MemoryStored"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryStored"];
                };
            };
        };
    };
    list_resources: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                session_id?: string;
                /** @description Only what was said from here on. */
                since?: string;
                /** @description Only what was said before this. */
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
                    "application/json": components["schemas"]["ResourcePage"];
                };
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                status?: "active" | "ended";
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
        };
    };
    start_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewSessionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionStarted"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionStarted"];
                };
            };
        };
    };
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["SessionShown"];
                };
            };
        };
    };
    delete_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["Purged"];
                };
            };
        };
    };
    end_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EndOfSessionRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionEnded"];
                };
            };
        };
    };
    heartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["JobsRun"];
                };
            };
        };
    };
    add_messages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessagesRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagesStored"];
                };
            };
        };
    };
    recover_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["Recovered"];
                };
            };
        };
    };
    replay_session: {
        parameters: {
            query: {
                turn: number;
            };
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["ReplayShown"];
                };
            };
        };
    };
    judge_response: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnsweredRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedbackShown"];
                };
            };
        };
    };
    stream_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamReport"];
                };
            };
        };
    };
    list_turns: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
            };
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["TurnPage"];
                };
            };
        };
    };
    get_turn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                number: number;
                uid: string;
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
                    "application/json": components["schemas"]["TurnShown"];
                };
            };
        };
    };
    store_turn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                number: number;
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CheckpointRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnStored"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnStored"];
                };
            };
        };
    };
    list_triggers: {
        parameters: {
            query?: {
                /** @description From `next` or `previous`. */
                cursor?: string;
                /** @description Not over before this day. */
                from?: string;
                /** @description Rows of a page: 50 unless said. */
                limit?: number;
                status?: "cancelled" | "done" | "waiting";
                /** @description Not after this day. */
                to?: string;
                user_id?: string;
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
                    "application/json": components["schemas"]["TriggerPage"];
                };
            };
        };
    };
    create_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTriggerRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerShown"];
                };
            };
        };
    };
    get_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["TriggerShown"];
                };
            };
        };
    };
    delete_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
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
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    change_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PatchedTriggerChangesRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerShown"];
                };
            };
        };
    };
    get_version: {
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
                    "application/json": components["schemas"]["ServerVersion"];
                };
            };
        };
    };
    run_memory_command: {
        parameters: {
            query?: {
                /** @description The end user whose files they are. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommandRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
        };
    };
}
