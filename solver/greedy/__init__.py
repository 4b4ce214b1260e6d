"""The baselines: how existing schedulers choose victims, each rule on one shared feasibility oracle."""
