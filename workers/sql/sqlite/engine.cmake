carrel_engine(sqlite carrel_policy PkgConfig::SQLITE)
