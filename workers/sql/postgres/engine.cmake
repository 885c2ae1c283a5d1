carrel_engine(postgres carrel_guard_pg PkgConfig::PQ)
